import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { botRoutes } from '../../../src/api/rest/bots.ts';
import { connectionRoutes } from '../../../src/api/rest/connections.ts';
import { platformRoutes } from '../../../src/api/rest/platforms.ts';
import { NOW } from '../store/temporary.ts';
import { accountServer, auditOf } from './account-server.ts';

const DISCORD = {
  platform: 'discord',
  bot_token: 'MTk4.secret-of-discord',
  discord_app_id: '123456789012345678',
};
const SLACK = { platform: 'slack', bot_token: 'xoxb-secret', slack_signing_secret: 'signing-secret' };
const TELEGRAM = { platform: 'telegram', bot_token: '123456:secret-of-telegram' };

async function startServer() {
  const opened = await accountServer((domain) => [
    ...botRoutes(domain),
    ...platformRoutes(domain),
    // No test starts connecting here, which is what needs visitors.
    ...connectionRoutes(domain, {} as Parameters<typeof connectionRoutes>[1]),
  ]);
  const { store } = opened.domain;
  const members = () => store.db.selectFrom('agentAccounts').selectAll().execute();
  return { ...opened, store, members };
}

test('a bot is registered in the default agent, listed without its secrets, and deleted', async () => {
  const { settings, stranger, store, owner, members } = await startServer();
  const { status, body: bot } = await settings.post('/api/bot-tokens', DISCORD);
  expect(status).toBe(200);
  expect(bot).toEqual({
    id: expect.stringMatching(/^bot_/),
    platform: 'discord',
    bot_name: null,
    status: 'registered',
    discord_app_id: DISCORD.discord_app_id,
    created_at: expect.stringMatching(/Z$/),
  });
  expect((await settings.get('/api/bot-tokens')).body).toEqual({ bot_tokens: [bot] });
  expect((await stranger.get('/api/bot-tokens')).body).toEqual({ bot_tokens: [] });
  expect(await members()).toEqual([{ agentId: owner.agentId, memberType: 'bot_token', memberId: bot.id }]);

  const path = `/api/bot-tokens/${bot.id}`;
  const foreign = await stranger.delete(path);
  expect([foreign.status, foreign.body]).toEqual([
    404,
    { detail: 'Bot token not found', code: 'bot_token_not_found' },
  ]);
  expect((await settings.delete(path)).body).toEqual({ status: 'deleted' });
  expect((await settings.delete(path)).status).toBe(404);
  expect(await members()).toEqual([]);
  expect(await auditOf(store, owner.accountId)).toEqual([
    ['bot_token.create', bot.id],
    ['bot_token.delete', bot.id],
  ]);
});

test('secrets of bots are sealed in the database, and appear nowhere in the audit log', async () => {
  const { settings, store, dataDir } = await startServer();
  for (const bot of [DISCORD, SLACK, TELEGRAM]) {
    expect((await settings.post('/api/bot-tokens', bot)).status).toBe(200);
  }
  const [, slack] = await store.db.selectFrom('botTokens').selectAll().orderBy('createdAt').execute();
  const place = { table: 'bot_tokens', column: 'sealed_signing_secret', row: slack!.id };
  expect(store.secrets.open(slack!.sealedSigningSecret!, place)).toBe(SLACK.slack_signing_secret);
  for (const file of readdirSync(dataDir).filter((name) => name.startsWith('gateway.db'))) {
    expect(readFileSync(join(dataDir, file)).includes('secret-of-'), file).toBe(false);
    expect(readFileSync(join(dataDir, file)).includes('signing-secret'), file).toBe(false);
  }
});

test('the same token can be registered only once', async () => {
  const { settings } = await startServer();
  await settings.post('/api/bot-tokens', TELEGRAM);
  const { status, body } = await settings.post('/api/bot-tokens', TELEGRAM);
  expect([status, body]).toEqual([
    409,
    { detail: 'Bot token is already registered', code: 'bot_token_taken' },
  ]);
  expect((await settings.post('/api/bot-tokens', { ...TELEGRAM, bot_token: '2:other' })).status).toBe(200);
});

test.each([
  [{ ...DISCORD, discord_app_id: undefined }, 'discord_app_id'],
  [{ ...SLACK, slack_signing_secret: null }, 'slack_signing_secret'],
  [{ ...TELEGRAM, bot_token: '' }, 'bot_token'],
  [{ ...TELEGRAM, bot_token: 'a\r\nb' }, 'bot_token'],
  [{ ...DISCORD, discord_app_id: 'x' }, 'discord_app_id'],
  [{ ...TELEGRAM, platform: 'teams' }, 'platform'],
])('a bot like %j is refused', async (bot, field) => {
  const { settings, store } = await startServer();
  const { status, body } = await settings.post('/api/bot-tokens', bot);
  expect([status, body.detail[0].loc]).toEqual([422, ['body', field]]);
  expect(await store.db.selectFrom('botTokens').selectAll().execute()).toEqual([]);
});

test('an account with a mail address must have verified it', async () => {
  const { settings, store, owner } = await startServer();
  const set = (change: object) =>
    store.db.updateTable('accounts').set(change).where('id', '=', owner.accountId).execute();
  await set({ email: 'a@example.com' });
  const { status, body } = await settings.post('/api/bot-tokens', TELEGRAM);
  expect([status, body]).toEqual([
    403,
    { detail: 'Email address is not verified', code: 'email_not_verified' },
  ]);
  expect(await store.db.selectFrom('botTokens').selectAll().execute()).toEqual([]);
  await set({ emailVerifiedAt: NOW });
  expect((await settings.post('/api/bot-tokens', TELEGRAM)).status).toBe(200);
});

test('bots and connections require the config tier', async () => {
  const { agent } = await startServer();
  expect((await agent.get('/api/bot-tokens')).status).toBe(403);
  expect((await agent.post('/api/bot-tokens', TELEGRAM)).status).toBe(403);
  expect((await agent.delete('/api/bot-tokens/bot_1')).status).toBe(403);
  expect((await agent.delete('/api/connections/con_1')).status).toBe(403);
});

test('a connection can be deleted only by its own account', async () => {
  const { settings, stranger, store, owner, members } = await startServer();
  const connection = { accountId: owner.accountId, provider: 'teams', label: 'Work', status: 'ok' };
  const dates = { createdAt: NOW, updatedAt: NOW };
  await store.db
    .insertInto('connections')
    .values({ id: 'con_1', ...connection, ...dates, email: 'me@example.com', sealedCredentials: '' })
    .execute();
  await store.db
    .insertInto('agentAccounts')
    .values({ agentId: owner.agentId, memberType: 'connection', memberId: 'con_1' })
    .execute();
  const foreign = await stranger.delete('/api/connections/con_1');
  expect([foreign.status, foreign.body]).toEqual([
    404,
    { detail: 'Connection not found', code: 'connection_not_found' },
  ]);
  expect((await settings.get('/api/platforms')).body.platforms[1]).toMatchObject({
    platform: 'teams',
    status: 'This gateway has no connector for teams',
    files: false,
    accounts: [{ type: 'connection', id: 'con_1', label: 'Work', status: 'ok' }],
  });
  expect((await settings.delete('/api/connections/con_1')).body).toEqual({ status: 'deleted' });
  expect(await members()).toEqual([]);
  expect((await settings.delete('/api/connections/con_1')).status).toBe(404);
  expect(await auditOf(store, owner.accountId)).toEqual([['connection.delete', 'con_1']]);
});

test('all nine platforms are listed with what connects them', async () => {
  const { agent } = await startServer();
  const { platforms } = (await agent.get('/api/platforms')).body;
  expect(platforms).toHaveLength(9);
  for (const platform of platforms) {
    expect(platform).toMatchObject({
      status: 'not_configured',
      accounts: [],
      setup: expect.stringMatching(/\w/),
    });
  }
});
