import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { fault, fetchWithToken, OAuthClient, statusFor, type Tokens } from '../support/oauth-client.ts';
import type { Person } from '../support/person.ts';
import { plaintextsIn, storedText } from '../support/plaintext.ts';

let gateway: Gateway;
let person: Person;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000' } });
  person = await memberOf(gateway, 'ada@example.com');
});
afterAll(() => gateway?.stop());

describe('tokens', () => {
  async function connected(): Promise<{ client: OAuthClient; tokens: Tokens }> {
    const client = await OAuthClient.register(gateway);
    return { client, tokens: await client.connect(person) };
  }

  it('are replaced by a refresh', async () => {
    const { client, tokens } = await connected();
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    expect(await statusFor(gateway, next.access)).toBe(200);
    expect(await statusFor(gateway, tokens.access)).toBe(401);
    expect(await statusFor(gateway, next.refresh), 'a refresh token opens nothing').toBe(401);
  });

  it('are returned again when a refresh is repeated, as its answer may have been lost', async () => {
    const { client, tokens } = await connected();
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    await gateway.restart();
    const again = client.tokensIn(await client.refresh(tokens.refresh));
    expect(again).toEqual(next);
    expect(await statusFor(gateway, again.access)).toBe(200);
    expect(plaintextsIn(gateway.output, gateway.secrets), 'in the log').toEqual([]);
    expect(plaintextsIn(storedText(gateway.dataFolder), gateway.secrets), 'in the database').toEqual([]);
  });

  it('of a grant are all revoked when a refresh token is reused after the new ones were used', async () => {
    const { client, tokens } = await connected();
    const other = await client.connect(person);
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    expect(await statusFor(gateway, next.access)).toBe(200);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
    expect(await statusFor(gateway, next.access)).toBe(401);
    expect(fault(await client.refresh(next.refresh))).toEqual([400, 'invalid_grant']);
    expect(await statusFor(gateway, other.access), 'those of another code live on').toBe(200);
  });

  it('are the same for concurrent refreshes', async () => {
    const { client, tokens } = await connected();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.refresh(tokens.refresh)));
    const given = answers.map((answer) => client.tokensIn(answer));
    expect(new Set(given.map(({ access, refresh }) => `${access} ${refresh}`)).size).toBe(1);
    expect(await statusFor(gateway, given[0]!.access)).toBe(200);
  });

  it('cover fewer platforms when a refresh asks for a narrower scope', async () => {
    const { client, tokens } = await connected();
    const narrow = client.tokensIn(await client.refresh(tokens.refresh, { scope: 'telegram' }));
    expect(narrow.scope).toBe('telegram');
    const account = (await (await fetchWithToken(gateway, narrow.access, '/api/account')).json()) as {
      platforms: Record<string, { status: string }>;
    };
    expect(account.platforms.sip!.status).toBe('not_granted');
    expect(account.platforms.telegram!.status).not.toBe('not_granted');
    const more = await client.refresh(narrow.refresh, { scope: 'telegram openid' });
    expect(fault(more)).toEqual([400, 'invalid_scope']);
  });

  it('get another WWW-Authenticate when invalid than when missing', async () => {
    const wrong = await fetchWithToken(gateway, 'mcp_wrong', '/api/calls');
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /);
    const none = await fetch(`${gateway.baseUrl}/api/calls`);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('stay revoked with their authorization, even when a refresh is repeated', async () => {
    const { client, tokens } = await connected();
    client.tokensIn(await client.refresh(tokens.refresh));
    await person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
  });

  it('are all revoked when their code is redeemed again', async () => {
    const client = await OAuthClient.register(gateway);
    const code = (await client.askAndAnswer(person)).get('code')!;
    const tokens = client.tokensIn(await client.redeem(code));
    expect(await statusFor(gateway, tokens.access)).toBe(200);
    expect(fault(await client.redeem(code))).toEqual([400, 'invalid_grant']);
    expect(await statusFor(gateway, tokens.access)).toBe(401);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
  });

  it('can be revoked by either token (RFC 7009), but only by their own client', async () => {
    for (const kind of ['access', 'refresh'] as const) {
      const { client, tokens } = await connected();
      const other = await OAuthClient.register(gateway);
      const giveBack = (who: OAuthClient) =>
        who.post('/oauth/revoke', { token: tokens[kind], client_id: who.id });
      expect((await giveBack(other)).status, 'says nothing to others').toBe(200);
      expect(await statusFor(gateway, tokens.access)).toBe(200);
      expect((await giveBack(client)).status).toBe(200);
      expect(await statusFor(gateway, tokens.access)).toBe(401);
      expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
      expect((await giveBack(client)).status, 'is done already').toBe(200);
    }
    const unknown = await (await connected()).client.post('/oauth/revoke', {
      token: 'x',
      client_id: 'cli_none',
    });
    expect(fault(unknown)).toEqual([401, 'invalid_client']);
  });

  it('survive a restart of the gateway', async () => {
    const { client, tokens } = await connected();
    await gateway.restart();
    expect(await statusFor(gateway, tokens.access)).toBe(200);
    client.tokensIn(await client.refresh(tokens.refresh));
  });
});
