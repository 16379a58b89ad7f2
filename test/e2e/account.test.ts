import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayPair } from '../support/gateway-pair.ts';

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start();
});
afterAll(() => pair?.stop());

it('shows platforms, live calls and usage, and exports calls, trunks and audit log', async () => {
  const { agentApi, settingsApi } = pair.caller;
  const before = (await agentApi.get('/api/account')).body;
  expect(before.platforms.sip).toEqual({
    status: 'ok',
    capabilities: ['audio_in', 'audio_out'],
    files: false,
  });
  expect(before.identities).toEqual({ sip: { agent: 'trunk', operator: null } });
  const { outbound } = await pair.connect();
  const { active, limit } = (await settingsApi.get('/api/account')).body.concurrent_calls;
  expect([active, limit]).toEqual([before.concurrent_calls.active + 1, before.concurrent_calls.limit]);

  const usage = (await agentApi.get('/api/usage')).body;
  expect(usage.days).toEqual([expect.objectContaining({ platform: 'sip', day: usage.last_day })]);
  expect(usage.total.calls).toBeGreaterThan(0);
  const { calls, sip_trunks, audit_log } = (await settingsApi.get('/api/export')).body;
  expect(calls.map((call: { call_id: string }) => call.call_id)).toContain(outbound.call_id);
  expect(sip_trunks).toEqual([expect.objectContaining({ host: '127.0.0.1', username: 'trunk' })]);
  expect(audit_log.map((entry: { action: string }) => entry.action)).toContain('sip_trunk.put');
});

it('distinguishes a platform without a bot from one that does not support calls', async () => {
  const { agentApi, settingsApi } = pair.callee;
  const call = () => agentApi.post('/api/call', { platform: 'telegram', meeting_url: 'https://t.me/x' });
  const without = await call();
  expect([without.status, without.body.detail]).toEqual([400, 'No telegram bot registered']);
  const bot = await settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: '1:secret-secret-secret-secret-secret',
  });
  const withBot = await call();
  expect([withBot.status, withBot.body.detail]).toEqual([400, 'The platform does not support this']);
  await settingsApi.delete(`/api/bot-tokens/${bot.body.id}`);
  expect((await call()).body.detail).toBe('No telegram bot registered');
});

it('a probe writes to agents and detects a reply', async () => {
  const { agentApi, settingsApi } = pair.caller;
  const read = async (query: string) => (await agentApi.get(`/api/inbox${query}`)).body;
  expect((await settingsApi.get('/api/keys/test-agent/status')).status).toBe(404);
  const { cursor } = await read('');
  const waiting = read(`?wait=10&last_message_cursor=${encodeURIComponent(cursor)}`);
  const started = (await settingsApi.post('/api/keys/test-agent/start')).body;
  expect(started.done).toBe(false);
  const [conversation] = (await waiting).conversations;
  expect(conversation).toMatchObject({
    platform: 'agent',
    remote_name: 'Gateway test',
    messages: [{ direction: 'inbound' }],
  });
  const { conversation_id } = conversation;
  const answer = await agentApi.post('/api/dm/chat', { platform: 'agent', conversation_id, text: 'here' });
  expect(answer.status).toBe(200);
  expect((await settingsApi.get('/api/keys/test-agent/status')).body).toMatchObject({
    done: true,
    keys: [{ replied: true, verdict: 'replied' }],
  });
});
