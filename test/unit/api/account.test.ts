import { expect, test } from 'vitest';
import { accountRoutes } from '../../../src/api/rest/account.ts';
import { botRoutes } from '../../../src/api/rest/bots.ts';
import type { Platform } from '../../../src/base/platform.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { putTrunk } from '../../../src/store/logins/sip-trunks.ts';
import { NOW } from '../store/temporary.ts';
import { accountServer, auditOf } from './account-server.ts';

const PLATFORMS = ['discord', 'teams', 'meet', 'zoom', 'telegram', 'whatsapp', 'slack', 'nctalk', 'sip'];
const SPEECH = { spokenCharacters: 7, spokenMs: 1_240, heardMs: 60_049 };
const WITH_FILES = ['discord', 'telegram', 'whatsapp', 'slack', 'nctalk'];

/** A connector whose number people are invited to. */
const inviteUrl = (token: string) => `https://wa.me/15550100?text=${token}`;
const INVITING = new Map([
  ['whatsapp', { provides: { invitations: { inviteUrl } } } as unknown as Connector],
]) as ReadonlyMap<Platform, Connector>;

async function startServer() {
  const opened = await accountServer((domain) => [
    ...accountRoutes(domain),
    ...botRoutes({ ...domain, calls: { ...domain.calls, connectors: INVITING } }),
  ]);
  const { store } = opened.domain;
  const { accountId } = opened.owner;
  const trunk = { host: 'sip.example.com', port: 5060, transport: 'udp', username: '1001' } as const;
  const line = {
    ...trunk,
    accountId,
    realm: null,
    callerId: null,
    register: true,
    srtp: 'off',
    behindNat: false,
    mediaTimeoutS: null,
    callerIdIn: 'from',
    callerFrom: 'from',
  } as const;
  const connectTrunk = () =>
    putTrunk(store.db, store.secrets, { ...line, password: 'p', inboundToken: 't' }, NOW);
  const addBot = async () => {
    const bot = { id: 'bot_1', accountId, platform: 'discord', botName: 'Helper', createdAt: NOW } as const;
    await store.db
      .insertInto('botTokens')
      .values({ ...bot, status: 'registered', sealedToken: '' })
      .execute();
  };
  return { ...opened, store, connectTrunk, addBot };
}

test('an account without any data has every field of the specification', async () => {
  const { agent, owner } = await startServer();
  const { status, body } = await agent.get('/api/account');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    account_id: owner.accountId,
    email: null,
    email_verified: false,
    plan: 'self_hosted',
    features: {
      transport: 'ready',
      audio_in: 'ready',
      audio_out: 'ready',
      text_chat: 'ready',
      typing_indicators: 'ready',
      files: 'ready',
      hosted_stt: 'byok',
      hosted_tts: 'byok',
    },
    features_note: expect.stringContaining('byok'),
    concurrent_calls: { active: 0, limit: 7 },
    identities: {},
    last_message_cursor: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z\|msg_0$/),
  });
  expect(Object.keys(body.platforms)).toEqual(PLATFORMS);
  for (const [name, platform] of Object.entries<{ status: string; files: boolean }>(body.platforms)) {
    expect([name, platform.status, platform.files]).toEqual([
      name,
      'not_configured',
      WITH_FILES.includes(name),
    ]);
  }
  expect(body.platforms.meet.capabilities).toEqual(['audio_in', 'read', 'write']);
  expect(body.platforms.sip.capabilities).toEqual(['audio_in', 'audio_out']);
});

test('a trunk is ok until its registration fails', async () => {
  const { agent, connectTrunk, directory } = await startServer();
  await connectTrunk();
  const first = (await agent.get('/api/account')).body;
  expect(first.platforms.sip.status).toBe('ok');
  expect(first.identities).toEqual({ sip: { agent: '1001', operator: null } });
  directory.registration = () => ({ state: 'failed', lastError: '403 Forbidden', expiresAt: null });
  expect((await agent.get('/api/account')).body.platforms.sip.status).toBe('403 Forbidden');
});

test('a login without a connector is listed with the status that there is none', async () => {
  const { settings, addBot } = await startServer();
  await addBot();
  const { body } = await settings.get('/api/account');
  expect(body.platforms.discord.status).toBe('This gateway has no connector for discord');
  expect(body.identities).toEqual({ discord: { agent: 'Helper', operator: null } });
});

test('an agent key sees the logins of its own agents only', async () => {
  const { agent, settings, addBot, store, owner } = await startServer();
  await addBot();
  const fresh = { id: 'agt_2', accountId: owner.accountId, name: 'Two', isDefault: false, createdAt: NOW };
  await insertAgent(store.db, fresh);
  const member = { memberType: 'bot_token', memberId: 'bot_1' } as const;
  await store.db
    .insertInto('agentAccounts')
    .values({ agentId: 'agt_2', ...member })
    .execute();
  expect((await agent.get('/api/account')).body.platforms.discord.status).toBe('not_configured');
  expect((await settings.get('/api/account')).body.platforms.discord.status).not.toBe('not_configured');

  await store.db
    .insertInto('agentAccounts')
    .values({ agentId: owner.agentId, ...member })
    .execute();
  expect((await agent.get('/api/account')).body.platforms.discord.status).not.toBe('not_configured');
});

test('live calls count against the limit of their own account', async () => {
  const { agent, stranger, domain, owner } = await startServer();
  const call = { identity: { callId: 'call_1', accountId: owner.accountId } } as CallActor;
  domain.calls.registry.add(call);
  expect((await agent.get('/api/account')).body.concurrent_calls).toEqual({ active: 1, limit: 7 });
  expect((await stranger.get('/api/account')).body.concurrent_calls).toEqual({ active: 0, limit: 7 });
});

test('usage covers the requested days, up to today', async () => {
  const { agent, store, owner, clock } = await startServer();
  const today = clock.nowIso().slice(0, 10);
  const dayBefore = (days: number) =>
    new Date(Date.parse(clock.nowIso()) - days * 86_400_000).toISOString().slice(0, 10);
  const counters = {
    accountId: owner.accountId,
    platform: 'sip',
    messages: 2,
    bytes: 10,
    ...SPEECH,
  } as const;
  await store.db
    .insertInto('usageDays')
    .values([today, dayBefore(29), dayBefore(30)].map((day) => ({ ...counters, day })))
    .execute();
  const month = (await agent.get('/api/usage')).body;
  expect([month.first_day, month.last_day]).toEqual([dayBefore(29), today]);
  expect(month.total).toEqual({
    calls: 0,
    minutes: 0,
    messages: 4,
    bytes: 20,
    tts_characters: 14,
    tts_seconds: 2.5,
    stt_seconds: 120.1,
  });
  const day = (await agent.get('/api/usage?days=1')).body;
  expect(day.days).toEqual([
    {
      day: today,
      platform: 'sip',
      calls: 0,
      minutes: 0,
      messages: 2,
      bytes: 10,
      tts_characters: 7,
      tts_seconds: 1.2,
      stt_seconds: 60,
    },
  ]);
  for (const wrong of ['0', '367', '-1', '1.5', 'x', '']) {
    expect((await agent.get(`/api/usage?days=${wrong}`)).status, wrong).toBe(422);
  }
});

test('feedback is stored verbatim', async () => {
  const { agent, settings, store, owner } = await startServer();
  const said = {
    message: 'wrong diagnosis',
    surface: 'platforms',
    error_detail: '500',
    suggestion_shown: 's',
  };
  const { status, body } = await agent.post('/api/feedback', said);
  expect([status, body]).toEqual([200, { status: 'ok', feedback_id: expect.stringMatching(/^fbk_/) }]);
  expect(await store.db.selectFrom('feedback').selectAll().execute()).toEqual([
    {
      id: body.feedback_id,
      accountId: owner.accountId,
      message: 'wrong diagnosis',
      surface: 'platforms',
      provider: null,
      errorDetail: '500',
      suggestionShown: 's',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await settings.post('/api/feedback', { message: '' })).status).toBe(422);
});

test('an invite token lasts 15 minutes, is stored as a hash, and voids the previous one', async () => {
  const { settings, agent, store, owner, clock } = await startServer();
  const first = (await settings.post('/api/invite-link')).body;
  const { status, body } = await settings.post('/api/invite-link');
  expect(status).toBe(200);
  expect(body.invite_token).toMatch(/^[\w-]{32}$/);
  expect(body.invite_token).not.toBe(first.invite_token);
  expect(body.whatsapp_url).toBe(`https://wa.me/15550100?text=${body.invite_token}`);
  const leftMs = Date.parse(body.expires_at) - Date.parse(clock.nowIso());
  expect(leftMs).toBeGreaterThan(14 * 60_000);
  expect(leftMs).toBeLessThanOrEqual(15 * 60_000);
  const links = await store.db.selectFrom('inviteLinks').selectAll().execute();
  expect(links).toHaveLength(1);
  expect(JSON.stringify(links)).not.toContain(body.invite_token);
  expect(await auditOf(store, owner.accountId)).toEqual([
    ['invite_link.create', null],
    ['invite_link.create', null],
  ]);
  expect((await agent.post('/api/invite-link')).status).toBe(403);
});

test('a settings key gets the export as one JSON document, an agent key does not', async () => {
  const { settings, agent, owner } = await startServer();
  const { status, headers, body } = await settings.get('/api/export');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(headers.get('content-disposition')).toContain('attachment');
  expect(body.accounts).toEqual([expect.objectContaining({ id: owner.accountId })]);
  expect(body.api_keys).toHaveLength(2);
  expect((await agent.get('/api/export')).status).toBe(403);
});
