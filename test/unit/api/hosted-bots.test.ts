import { expect, test } from 'vitest';
import { logInBots } from '../../../src/accounts/logins/hosted-bots.ts';
import { accountRoutes } from '../../../src/api/rest/account.ts';
import { botRoutes } from '../../../src/api/rest/bots.ts';
import { platformRoutes } from '../../../src/api/rest/platforms.ts';
import type { Platform } from '../../../src/base/platform.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { waitFor } from '../../support/wait-for.ts';
import { FakeBotHost } from '../accounts/fake-bot-host.ts';
import { NOW } from '../store/temporary.ts';
import { accountServer, auditOf } from './account-server.ts';

const TELEGRAM = { platform: 'telegram', bot_token: '123:good' };

async function startServer() {
  const host = new FakeBotHost();
  const opened = await accountServer((domain) => {
    const connectors = domain.calls.connectors as Map<Platform, Connector>;
    connectors.set('telegram', host as unknown as Connector);
    return [...accountRoutes(domain), ...platformRoutes(domain), ...botRoutes(domain)];
  });
  const { domain, settings, owner } = opened;
  const rows = () => domain.store.db.selectFrom('botTokens').select(['id', 'status', 'botName']).execute();
  const platform = async () => (await settings.get('/api/platforms')).body.platforms[4];
  const connect = () =>
    domain.store.db
      .insertInto('connections')
      .values({
        id: 'con_1',
        accountId: owner.accountId,
        provider: 'telegram',
        label: 'Ada',
        status: 'ok',
        loginKey: 'shared',
        remoteId: '42',
        sealedCredentials: '',
        createdAt: NOW,
        updatedAt: NOW,
      })
      .execute();
  return { ...opened, host, rows, platform, connect };
}

test('a bot is logged in when it is registered, and logged out when it is deleted', async () => {
  const { settings, host, platform } = await startServer();
  const { status, body: bot } = await settings.post('/api/bot-tokens', TELEGRAM);
  expect([status, bot.status, bot.bot_name]).toEqual([200, 'ok', '@bot_123']);
  expect([...host.bots]).toEqual([[bot.id, '123:good']]);
  expect((await settings.delete(`/api/bot-tokens/${bot.id}`)).status).toBe(200);
  expect(host.bots.size).toBe(0);
  expect(await platform()).toMatchObject({ platform: 'telegram', status: 'not_configured' });
});

test('a bot that the platform refuses is not stored', async () => {
  const { settings, rows, domain, owner } = await startServer();
  const { status, body } = await settings.post('/api/bot-tokens', { ...TELEGRAM, bot_token: '1:bad' });
  expect([status, body]).toEqual([
    400,
    { detail: 'The platform refused the bot token: Unauthorized', code: 'bot_refused' },
  ]);
  expect(await rows()).toEqual([]);
  expect(await domain.store.db.selectFrom('agentAccounts').selectAll().execute()).toEqual([]);
  expect((await auditOf(domain.store, owner.accountId)).map(([action]) => action)).toEqual([
    'bot_token.create',
    'bot_token.delete',
  ]);
});

test('all bots are logged in at startup, and their state on the platform is stored and shown', async () => {
  const { settings, host, rows, domain, platform } = await startServer();
  const { body: bot } = await settings.post('/api/bot-tokens', TELEGRAM);
  const { body: worse } = await settings.post('/api/bot-tokens', { ...TELEGRAM, bot_token: '7:worse' });
  await domain.store.db.updateTable('botTokens').set({ status: 'registered', botName: null }).execute();
  host.bots.clear();
  await logInBots(domain);
  await waitFor('their states', async () => (await rows()).every(({ status }) => status === 'ok'));
  expect([...host.bots.keys()].sort()).toEqual([bot.id, worse.id].sort());

  host.tell(bot.id, { name: null, status: 'Conflict: terminated by other getUpdates request' });
  host.tell(worse.id, { name: null, status: 'Unauthorized' });
  await waitFor('bad news', async () => (await rows()).every(({ status }) => status !== 'ok'));
  expect(await platform()).toMatchObject({
    status: 'Conflict: terminated by other getUpdates request',
    accounts: [{ label: '@bot_123' }, { label: '@bot_7', status: 'Unauthorized' }],
  });
});

test('a bot that fails to log in at startup reports it and does not stop the others', async () => {
  const { settings, host, rows, domain } = await startServer();
  const { body: bot } = await settings.post('/api/bot-tokens', TELEGRAM);
  await settings.post('/api/bot-tokens', { ...TELEGRAM, bot_token: '7:other' });
  const sealed = domain.store.db.updateTable('botTokens').set({ sealedToken: 'of another key' });
  await sealed.where('id', '=', bot.id).execute();
  host.bots.clear();
  await logInBots(domain);
  await waitFor('the state', async () =>
    (await rows()).some(({ status }) => status === 'The token cannot be decrypted'),
  );
  await waitFor('the other', () => host.bots.size === 1);
});

test('the deep link binds to the shared bot, or else leads to the account’s own bot', async () => {
  const { settings, agent, host, domain } = await startServer();
  const link = () => settings.post('/api/telegram/connect');
  const none = await link();
  expect([none.status, none.body]).toEqual([
    400,
    { detail: 'No telegram bot registered', code: 'platform_not_configured' },
  ]);
  expect((await agent.post('/api/telegram/connect')).status).toBe(403);

  await settings.post('/api/bot-tokens', TELEGRAM);
  await logInBots(domain);
  await waitFor('its name', async () => (await link()).status === 200);
  expect((await link()).body).toEqual({
    deep_link: 'https://t.me/bot_123',
    bot_name: '@bot_123',
    code: null,
    expires_at: null,
  });

  host.shared = { name: null, status: 'Unauthorized' };
  expect((await link()).body).toEqual({ detail: 'Unauthorized', code: 'platform_failed' });
  host.shared = { name: '@all_bot', status: 'ok' };
  const { body } = await link();
  expect(body.deep_link).toMatch(/^https:\/\/t\.me\/all_bot\?start=[\w-]{32}$/);
  const stored = await domain.store.db.selectFrom('inviteLinks').selectAll().execute();
  expect(stored).toMatchObject([{ expiresAt: body.expires_at }]);
  expect(JSON.stringify(stored)).not.toContain(body.deep_link.split('=')[1]);
});

test('a connection through the shared login has the status of that login', async () => {
  const { host, platform, connect, settings, domain } = await startServer();
  await connect();
  expect((await platform()).status).toBe('The gateway no longer has a shared login on this platform');
  await logInBots(domain);
  host.shared = { name: '@all_bot', status: 'Telegram could not be reached: ECONNREFUSED' };
  expect((await platform()).status).toBe('Telegram could not be reached: ECONNREFUSED');
  await settings.post('/api/bot-tokens', TELEGRAM);
  await waitFor('its state', async () => (await platform()).status === 'ok');
});

test('a bot that is deleted during its login is not kept', async () => {
  const { settings, host, rows } = await startServer();
  host.beforeLogIn = (id) => settings.delete(`/api/bot-tokens/${id}`);
  expect((await settings.post('/api/bot-tokens', TELEGRAM)).status).toBe(200);
  expect([host.bots.size, await rows()]).toEqual([0, []]);
});

test('a person linked to the shared login has its state', async () => {
  const { settings, host, platform, connect } = await startServer();
  expect((await settings.post('/api/bot-tokens', TELEGRAM)).status).toBe(200);
  await connect();
  host.shared = { name: '@shared', status: 'ok' };
  expect((await platform()).status).toBe('ok');
  const { identities } = (await settings.get('/api/account')).body;
  expect(identities.telegram).toEqual({ agent: '@shared', operator: 'Ada' });
});
