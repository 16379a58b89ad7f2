import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  dynamicClientRegistration,
  fetchProtectedResource,
  None,
  type ResponseBodyError,
  randomPKCECodeVerifier,
  refreshTokenGrant,
  tokenRevocation,
  type WWWAuthenticateChallengeError,
} from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerConsent } from '../support/consent.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const REDIRECT = 'cursor://anysphere.cursor-retrieval/oauth/user-voice/callback';

let gateway: Gateway;
let person: Person;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open' } });
  person = await memberOf(gateway, 'ada@example.com');
});
afterAll(() => gateway?.stop());

describe('openid-client', () => {
  /** Finds the gateway, registers there and gets tokens for its user. */
  async function connected() {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
    const config = await dynamicClientRegistration(new URL(gateway.baseUrl), metadata, None(), {
      execute: [allowInsecureRequests],
      algorithm: 'oauth2',
    });
    const verifier = randomPKCECodeVerifier();
    const url = buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'telegram sip',
      state: 'st4te',
    });
    const back = await answerConsent(person, url, ['telegram', 'sip']);
    const checks = { pkceCodeVerifier: verifier, expectedState: 'st4te' };
    return { config, tokens: kept(await authorizationCodeGrant(config, back, checks)) };
  }

  function kept<Tokens extends { access_token: string; refresh_token?: string }>(tokens: Tokens) {
    gateway.secrets.add(tokens.access_token).add(tokens.refresh_token!);
    return { ...tokens, refresh_token: tokens.refresh_token! };
  }

  async function errorOf(asked: Promise<unknown>): Promise<string> {
    const error = await asked.then(
      () => null,
      (thrown: ResponseBodyError) => thrown,
    );
    return error?.error ?? 'none';
  }

  const calls = (config: Configuration, access: string) =>
    fetchProtectedResource(config, access, new URL('/api/calls', gateway.baseUrl), 'GET');

  it('connects with a custom redirect scheme, and refreshes its tokens', async () => {
    const { config, tokens } = await connected();
    expect(tokens.scope).toBe('telegram sip');
    const next = kept(await refreshTokenGrant(config, tokens.refresh_token));
    expect((await calls(config, next.access_token)).status).toBe(200);
  });

  it('gets the same tokens when it refreshes twice, and none once they have been used', async () => {
    const { config, tokens } = await connected();
    const both = await Promise.all([1, 2].map(() => refreshTokenGrant(config, tokens.refresh_token)));
    const [one, other] = both.map(kept);
    expect(other).toMatchObject({ access_token: one!.access_token, refresh_token: one!.refresh_token });
    await calls(config, one!.access_token);
    expect(await errorOf(refreshTokenGrant(config, tokens.refresh_token))).toBe('invalid_grant');
    expect(await errorOf(refreshTokenGrant(config, one!.refresh_token)), 'the grant is over').toBe(
      'invalid_grant',
    );
  });

  it('gets standard OAuth errors', async () => {
    const { config, tokens } = await connected();
    const refresh = (scope: string) => refreshTokenGrant(config, tokens.refresh_token, { scope });
    expect(await errorOf(refresh('slack'))).toBe('invalid_scope');
    expect(await errorOf(refresh('sip openid'))).toBe('invalid_scope');
    const narrow = kept(await refresh('sip'));
    expect(narrow.scope).toBe('sip');
    await tokenRevocation(config, narrow.access_token);
    const refused = await calls(config, narrow.access_token).then(
      () => null,
      (error: WWWAuthenticateChallengeError) => error,
    );
    expect([refused?.status, refused?.cause[0]?.parameters.error]).toEqual([401, 'invalid_token']);
  });
});

describe('the official MCP client in a session', () => {
  it('cancels a call, gets nothing when it resumes the stream, and continues to work', async () => {
    const gets: [string | null, number][] = [];
    const errors: string[] = [];
    const reconnections: (() => void)[] = [];
    const transport = new StreamableHTTPClientTransport(new URL('/mcp/?stateful', gateway.baseUrl), {
      requestInit: { headers: { Authorization: `Bearer ${gateway.agentKey}` } },
      reconnectionScheduler: (reconnect) => void reconnections.push(reconnect),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const lastEventId = new Headers(init?.headers).get('last-event-id');
        if (init?.method === 'GET' && lastEventId !== null) gets.push([lastEventId, response.status]);
        return response;
      },
    });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    client.onerror = ({ message }) => errors.push(message);
    await client.connect(transport);
    const account = await client.callTool({ name: 'svc_account', arguments: {} });
    const { last_message_cursor } = account.structuredContent as { last_message_cursor: string };
    const enough = new AbortController();
    const waiting = client.callTool(
      { name: 'svc_inbox', arguments: { last_message_cursor, wait: 55 } },
      { signal: enough.signal },
    );
    waiting.catch(() => {});
    await waitFor('the call to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1);
    enough.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await waitFor('the end of its stream', () => reconnections.length === 1);
    reconnections[0]!();
    await waitFor('its coming back', () => gets.length === 1);
    expect(gets).toEqual([[expect.stringMatching(/^call-/), 204]]);
    expect((await client.callTool({ name: 'svc_call_list', arguments: {} })).isError).not.toBe(true);
    expect([reconnections.length, errors]).toEqual([1, []]);
    await client.close();
  });
});
