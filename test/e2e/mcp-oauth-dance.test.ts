import {
  StreamableHTTPClientTransport as HttpV2,
  UnauthorizedError as UnauthorizedV2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerConsent } from '../support/consent.ts';
import { Gateway } from '../support/gateway.ts';
import {
  CLIENT_KINDS,
  type ClientKind,
  connectV1,
  connectV2,
  type McpClient,
} from '../support/mcp-client.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClientStore } from '../support/oauth-client-store.ts';
import type { Person } from '../support/person.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open' } });
});
afterAll(() => gateway?.stop());

/** One application that has its user sign in. */
interface Application {
  /** Rejects with `unauthorized` after it has sent its user to a browser. */
  connect(): Promise<McpClient>;
  /** The browser came back. */
  finish(redirected: URL): Promise<void>;
  readonly unauthorized: new (...args: never[]) => Error;
}

function applicationOf(kind: ClientKind, memory: OAuthClientStore): Application {
  const url = new URL('/mcp/', gateway.baseUrl);
  if (kind === 'v1') {
    const transport = () => new HttpV1(url, { authProvider: memory });
    return {
      connect: () => connectV1(transport() as TransportV1),
      finish: (redirected) => transport().finishAuth(redirected.searchParams.get('code') ?? ''),
      unauthorized: UnauthorizedV1,
    };
  }
  const transport = () => new HttpV2(url, { authProvider: memory });
  return {
    connect: () => connectV2(kind, transport()),
    finish: (redirected) => transport().finishAuth(redirected.searchParams),
    unauthorized: UnauthorizedV2,
  };
}

/** The status of the MCP endpoint for an access token. */
async function statusFor(accessToken: string): Promise<number> {
  const answer = await fetch(`${gateway.baseUrl}/mcp/`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'svc_account', arguments: {} },
    }),
  });
  await answer.body?.cancel();
  return answer.status;
}

describe.each(CLIENT_KINDS)('OAuth sign-in with the official client, %s', (kind) => {
  let person: Person;
  let memory: OAuthClientStore;
  let application: Application;
  let client: McpClient | null;

  beforeAll(async () => {
    person = await memberOf(gateway, `${kind.replace(' ', '-')}@example.com`);
  });
  beforeEach(() => {
    memory = new OAuthClientStore();
    application = applicationOf(kind, memory);
    client = null;
  });
  afterEach(async () => {
    await client?.close();
    for (const token of [memory.held?.access_token, memory.held?.refresh_token])
      if (token !== undefined) gateway.secrets.add(token);
  });

  async function signIn(platforms: readonly string[]): Promise<McpClient> {
    await expect(application.connect()).rejects.toThrow(application.unauthorized);
    const redirected = await answerConsent(person, memory.sentTo!, platforms);
    expect(`${redirected.origin}${redirected.pathname}`).toBe(memory.redirectUrl);
    expect(redirected.searchParams.get('state')).toBe(memory.state());
    await application.finish(redirected);
    client = await application.connect();
    return client;
  }

  it('leads from the 401 to a tool call, limited to the granted platforms', async () => {
    const signedIn = await signIn(['telegram']);
    const { structured: account } = await signedIn.call('svc_account');
    expect(account.email).toBe(person.email);
    expect(account.platforms.telegram.status).toBe('not_configured');
    expect(account.platforms.sip.status).toBe('not_granted');
    const refused = await signedIn.call('svc_call_join', {
      platform: 'sip',
      meeting_url: 'sip:1@127.0.0.1',
    });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/^403 /)]);

    const { body } = await person.request('GET', '/api/mcp-authorizations');
    const client_id = memory.client?.client_id;
    const mine = body.authorizations.find((each: { client_id: string }) => each.client_id === client_id);
    expect(mine).toMatchObject({ client_name: 'Test assistant', platforms: ['telegram'] });
  });

  it('refreshes the tokens when the access token is rejected', async () => {
    const signedIn = await signIn(['telegram']);
    const first = memory.held!;
    memory.held = { ...first, access_token: `${first.access_token}-that-is-over` };
    expect((await signedIn.call('svc_account')).isError).toBe(false);
    expect(memory.held.access_token).not.toBe(first.access_token);
    expect(memory.held.refresh_token).not.toBe(first.refresh_token);
    gateway.secrets.add(first.access_token).add(first.refresh_token!);
  });

  it('gives no access after revocation', async () => {
    const signedIn = await signIn(['telegram', 'sip']);
    const { access_token } = memory.held!;
    gateway.secrets.add(access_token);
    expect(await statusFor(access_token)).toBe(200);
    const { status } = await person.request(
      'DELETE',
      `/api/mcp-authorizations/${encodeURIComponent(memory.client!.client_id)}`,
    );
    expect(status).toBe(200);
    expect(await statusFor(access_token)).toBe(401);
    memory.sentTo = null;
    await expect(signedIn.call('svc_account')).rejects.toThrow(application.unauthorized);
    // It has to ask again.
    expect(memory.sentTo).not.toBeNull();
    expect((await person.request('GET', '/api/mcp-authorizations')).body.authorizations).not.toContainEqual(
      expect.objectContaining({ client_id: memory.client?.client_id }),
    );
  });

  it('returns access_denied when the person denies it', async () => {
    await expect(application.connect()).rejects.toThrow(application.unauthorized);
    const redirected = await answerConsent(person, memory.sentTo!, [], 'deny');
    expect(redirected.searchParams.get('error')).toBe('access_denied');
    expect(redirected.searchParams.get('code')).toBeNull();
  });
});
