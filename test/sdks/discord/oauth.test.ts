import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { startWorld } from './oceanic-bot.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';
const VERIFIER = 'v'.repeat(43);

async function startClient() {
  const world = await startWorld();
  const { discord, bot, ada } = world;
  bot.redirectUris.add(REDIRECT);
  discord.oauth.visitor = ada.user;
  const authorize = async (more: Record<string, string> = {}): Promise<URL> => {
    const query = new URLSearchParams({
      client_id: bot.applicationId,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'identify',
      state: 's1',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    });
    const answer = await fetch(`${discord.url}/oauth2/authorize?${query}`, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? `http://refused/?status=${answer.status}`);
  };
  const ask = async (path: string, form: Record<string, string>, secret = bot.clientSecret) => {
    const credentials = Buffer.from(`${bot.applicationId}:${secret}`).toString('base64');
    const answer = await fetch(`${discord.url}/api/oauth2/${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${credentials}` },
      body: new URLSearchParams(form),
    });
    return { status: answer.status, body: (await answer.json()) as AnyJson };
  };
  const exchange = (code: string, more: Record<string, string> = {}) =>
    ask('token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...more,
    });
  const me = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${discord.url}/api/v10/users/@me`, { headers });
    return { status: answer.status, body: (await answer.json()) as AnyJson };
  };
  return { ...world, authorize, ask, exchange, me };
}

test('somebody signs in: a code, tokens, who they are, and the end of it', async () => {
  const { ada, authorize, exchange, me, ask } = await startClient();
  const back = await authorize();
  expect(back.searchParams.get('state')).toBe('s1');
  const { status, body } = await exchange(back.searchParams.get('code')!);
  expect([status, body.token_type, body.scope]).toEqual([200, 'Bearer', 'identify']);
  expect(await me(body.access_token)).toMatchObject({
    status: 200,
    body: { id: ada.id, global_name: 'Ada' },
  });
  const renewed = await ask('token', { grant_type: 'refresh_token', refresh_token: body.refresh_token });
  expect((await me(body.access_token)).status).toBe(401);
  expect((await me(renewed.body.access_token)).status).toBe(200);
  expect((await ask('token/revoke', { token: renewed.body.refresh_token })).status).toBe(200);
  expect((await me(renewed.body.access_token)).status).toBe(401);
});

test('somebody withdraws what they have granted', async () => {
  const { discord, ada, authorize, exchange, me } = await startClient();
  const { body } = await exchange((await authorize()).searchParams.get('code')!);
  discord.oauth.grants.revokeAll(ada.user);
  expect((await me(body.access_token)).status).toBe(401);
});

test('a code is good once, for its redirect and with its verifier', async () => {
  const { authorize, exchange } = await startClient();
  const newCode = async () => (await authorize()).searchParams.get('code')!;
  const refused = { status: 400, body: { error: 'invalid_grant' } };
  const code = await newCode();
  await exchange(code);
  expect(await exchange(code)).toMatchObject(refused);
  expect(await exchange(await newCode(), { redirect_uri: 'http://127.0.0.1:9/other' })).toMatchObject(
    refused,
  );
  expect(await exchange(await newCode(), { code_verifier: 'w'.repeat(43) })).toMatchObject(refused);
});

test('a wrong client, redirect or scope is refused, and so may be the visitor', async () => {
  const { discord, authorize, ask } = await startClient();
  expect((await ask('token', { grant_type: 'authorization_code', code: 'x' }, 'wrong')).status).toBe(401);
  const elsewhere = await authorize({ redirect_uri: 'http://127.0.0.1:9/elsewhere' });
  expect(elsewhere.searchParams.get('status')).toBe('400');
  expect((await authorize({ scope: 'everything' })).searchParams.get('error')).toBe('invalid_scope');
  discord.oauth.isDenied = true;
  expect((await authorize()).searchParams.get('error')).toBe('access_denied');
});

test('an install link adds the bot to a guild, with the permissions that it asks for', async () => {
  const { discord, ada, bot } = await startClient();
  const other = discord.addGuild('Others', ada);
  const link = `${discord.url}/oauth2/authorize?client_id=${bot.applicationId}&scope=bot&permissions=1024`;
  ada.addsBot(link, other);
  expect(other.has(bot.user)).toBe(true);
  const grace = discord.addPerson('Grace');
  expect(() => grace.addsBot(link, other)).toThrow('may not add');
});
