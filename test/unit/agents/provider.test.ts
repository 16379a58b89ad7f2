import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { findProvider } from '../../../src/store/agents/agent-providers.ts';
import { agentServer } from './agent-server.ts';

const KEY = 'sk-proj-only-for-this-test';
const OPENAI = { provider: 'openai', config: { api_key: KEY, model: 'gpt-5-mini' } };

async function server() {
  const served = await agentServer();
  const { api, accountId } = await served.account('a');
  const agentId: string = (await api.get('/api/agents')).body.agents[0].id;
  const stored = async () => (await findProvider(served.store.db, served.store.secrets, agentId))!;
  return { served, api, accountId, agentId, path: `/api/agents/${agentId}`, stored };
}

it('lists seven providers, each with a schema and secret fields', async () => {
  const { api } = await server();
  const { providers, event_types } = (await api.get('/api/agents/providers')).body;
  expect(providers.map((one: { name: string }) => one.name)).toEqual([
    'openai',
    'anthropic',
    'gemini',
    'foundry',
    'bedrock',
    'mistral',
    'custom',
  ]);
  expect(event_types).toContain('dm_chat');
  for (const { name, schema } of providers) {
    const secrets = Object.values<{ writeOnly?: true }>(schema.properties).filter((one) => one.writeOnly);
    expect(secrets, name).not.toHaveLength(0);
    expect(() => z.fromJSONSchema(schema), name).not.toThrow();
    expect([name, schema.additionalProperties]).toEqual([name, false]);
  }
});

it('sets a provider, shows it without its key, and merges later changes', async () => {
  const { served, api, path, agentId, accountId, stored } = await server();
  const empty = (await api.get(`${path}/provider`)).body;
  expect(empty).toMatchObject({ provider: null, config: {}, secrets_set: [], updated_at: null });
  expect((await api.patch(`${path}/provider`, { system_prompt: 'x' })).body).toEqual({
    detail: 'No provider is set',
    code: 'no_provider',
  });

  const set = await api.patch(`${path}/provider`, { ...OPENAI, system_prompt: 'Be brief.' });
  expect([set.status, set.body]).toEqual([
    200,
    {
      agent_id: agentId,
      provider: 'openai',
      config: { endpoint: 'https://api.openai.com/v1/responses', model: 'gpt-5-mini' },
      secrets_set: ['api_key'],
      system_prompt: 'Be brief.',
      greeting: null,
      live_replies: true,
      event_filter: empty.event_filter,
      updated_at: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await api.get('/api/agents')).body.agents[0].provider).toBe('openai');

  const merged = await api.patch(`${path}/provider`, {
    config: { api_key: '', prompt_id: 'pmpt_1', model: null },
    event_filter: { call_transcript: false },
  });
  expect(merged.body).toMatchObject({
    config: { prompt_id: 'pmpt_1' },
    secrets_set: ['api_key'],
    system_prompt: 'Be brief.',
    event_filter: { ...empty.event_filter, call_transcript: false },
  });
  expect(merged.body.config.model).toBeUndefined();
  expect((await stored()).secrets).toEqual({ api_key: KEY });

  await api.patch(`${path}/provider`, { event_filter: { dm_delivered: true }, system_prompt: null });
  const shown = (await api.get(`${path}/provider`)).body;
  expect(shown).toMatchObject({
    system_prompt: null,
    event_filter: { call_transcript: false, dm_delivered: true },
  });
  await api.patch(`${path}/provider`, { config: { api_key: 'sk-new' } });
  expect((await stored()).secrets).toEqual({ api_key: 'sk-new' });

  expect((await api.patch(`${path}/provider`, { provider: null })).body).toEqual(empty);
  expect(await served.audited(accountId)).toEqual([
    ...Array.from({ length: 4 }, () => 'provider.change'),
    'provider.remove',
  ]);
});

it('never reuses a key for another provider or endpoint', async () => {
  const { api, path, stored } = await server();
  await api.patch(`${path}/provider`, OPENAI);
  const missing = [{ loc: ['body', 'config', 'api_key'], type: 'missing', msg: 'Field required' }];
  for (const change of [
    { provider: 'mistral', config: { model: 'mistral-large-latest' } },
    { config: { endpoint: 'https://evil.example.com/v1/responses' } },
  ]) {
    const answer = await api.patch(`${path}/provider`, change);
    expect([answer.status, answer.body.detail]).toEqual([422, missing]);
  }
  expect(await stored()).toMatchObject({ provider: 'openai', config: { model: 'gpt-5-mini' } });
  const moved = { endpoint: 'https://mine.example.com/v1/responses', api_key: 'sk-mine' };
  expect((await api.patch(`${path}/provider`, { config: moved })).status).toBe(200);
  expect((await stored()).secrets).toEqual({ api_key: 'sk-mine' });
});

it('needs no key for a custom endpoint, and sends none that belongs elsewhere', async () => {
  const { api, path, stored } = await server();
  await api.patch(`${path}/provider`, OPENAI);
  const custom = { provider: 'custom', config: { model: 'm', endpoint: 'http://127.0.0.1:1234/v1' } };
  expect((await api.patch(`${path}/provider`, custom)).body.secrets_set).toEqual([]);
  await api.patch(`${path}/provider`, { config: { api_key: KEY } });
  expect((await stored()).secrets).toEqual({ api_key: KEY });
  const moved = await api.patch(`${path}/provider`, { config: { endpoint: 'https://evil.example.com/v1' } });
  expect([moved.status, moved.body.secrets_set]).toEqual([200, []]);
});

it.each([
  ['http://10.0.0.7:11434/v1', 'The gateway connects to public addresses only'],
  ['http://127.0.0.1:1234/v1/completions', 'http://127.0.0.1:1234/v1/responses'],
  ['http://127.0.0.1:11434/api/chat', 'http://127.0.0.1:11434/v1/responses'],
  ['https://models.example.com/openai/v1/models', 'https://models.example.com/openai/v1/responses'],
])('refuses the endpoint %s, which cannot work', async (endpoint, words) => {
  const { api, path } = await server();
  for (const body of [
    { provider: 'custom', config: { model: 'm', endpoint } },
    { ...OPENAI, config: { ...OPENAI.config, endpoint } },
  ]) {
    const answer = await api.patch(`${path}/provider`, body);
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [
        {
          loc: ['body', 'config', 'endpoint'],
          type: 'value_error',
          msg: expect.stringContaining(words),
        },
      ],
    ]);
  }
  expect((await api.get(`${path}/provider`)).body.provider).toBeNull();
});

it.each([
  [{ provider: 'openai', config: { api_key: KEY } }, ['config', 'model'], 'missing'],
  [{ provider: 'openai', config: { model: 'm' } }, ['config', 'api_key'], 'missing'],
  [{ ...OPENAI, config: { ...OPENAI.config, colour: 'red' } }, ['config', 'colour'], 'extra_forbidden'],
  [{ ...OPENAI, config: { ...OPENAI.config, endpoint: 'ftp://x' } }, ['config', 'endpoint'], 'url_parsing'],
  [{ ...OPENAI, config: { ...OPENAI.config, model: 'a\nb' } }, ['config', 'model'], 'value_error'],
  [
    { provider: 'gemini', config: { model: 'm', service_account: 'a\0b' } },
    ['config', 'service_account'],
    'value_error',
  ],
  [{ ...OPENAI, config: { ...OPENAI.config, model: 7 } }, ['config', 'model'], 'string_type'],
  [{ provider: 'nobody' }, ['provider'], 'enum'],
  [{ ...OPENAI, event_filter: { dm_chat: 'yes' } }, ['event_filter', 'dm_chat'], 'bool_type'],
])('refuses %j', async (body, loc, type) => {
  const { api, path } = await server();
  const answer = await api.patch(`${path}/provider`, body);
  expect([answer.status, answer.body.detail]).toEqual([
    422,
    [expect.objectContaining({ loc: ['body', ...loc], type })],
  ]);
  expect((await api.get(`${path}/provider`)).body.provider).toBeNull();
});

it('refuses unknown events', async () => {
  const { api, path } = await server();
  expect((await api.patch(`${path}/provider`, { ...OPENAI, event_filter: { rain: true } })).status).toBe(422);
});

it.each([
  ['anthropic', { api_key: KEY, agent_id: 'agent_1' }],
  ['gemini', { api_key: KEY, model: 'm' }],
  ['foundry', { api_key: KEY, endpoint: 'https://x.example.com/', model: 'm' }],
  ['gemini', { service_account: `{\n\t"private_key": "${KEY}${'x'.repeat(3_000)}"\n}`, model: 'm' }],
  ['bedrock', { region: 'eu-west-3', api_key: KEY, model: 'm' }],
  ['bedrock', { region: 'eu-west-3', access_key_id: 'AKIA', secret_access_key: KEY, model: 'm' }],
  ['mistral', { api_key: KEY, model: 'm' }],
  ['custom', { api_key: KEY, endpoint: 'http://127.0.0.1:1/v1/responses', prompt_id: 'p' }],
])('accepts %s', async (provider, config) => {
  const { served, api, path } = await server();
  const answer = await api.patch(`${path}/provider`, { provider, config });
  expect([answer.status, answer.body.provider]).toEqual([200, provider]);
  expect(JSON.stringify(answer.body)).not.toContain(KEY);
  for (const file of readdirSync(served.dataDir)) {
    const hasKey = readFileSync(join(served.dataDir, file)).includes(KEY);
    expect([file, hasKey]).toEqual([file, false]);
  }
});

it('queues tests for agents that have a provider, up to a limit', async () => {
  const { served, api, path } = await server();
  for (const test of ['/provider/healthcheck', '/test']) {
    const refused = await api.post(`${path}${test}`);
    expect([refused.status, refused.body]).toEqual([
      400,
      { detail: 'No provider is set', code: 'no_provider' },
    ]);
    expect((await api.post(`/api/agents/agt_none${test}`)).status).toBe(404);
  }
  await api.patch(`${path}/provider`, OPENAI);
  const probe = await api.post(`${path}/provider/healthcheck`);
  expect([probe.status, probe.body]).toMatchObject([
    202,
    { status: 'queued', event_type: 'healthcheck', error: null, response_body: null },
  ]);
  const event = await api.post(`${path}/test`);
  expect(event.body).toMatchObject({
    status: 'queued',
    event_type: 'dm_chat',
    payload: { type: 'dm_chat', synthetic: true },
  });
  const { result_path, ...delivery } = event.body;
  expect((await api.get(result_path)).body).toEqual(delivery);
  for (let i = 2; i < 100; i++) await api.post(`${path}/test`);
  const full = await api.post(`${path}/test`);
  expect([full.status, full.body.detail]).toEqual([429, 'Too many deliveries are queued']);
  const rows = await served.store.db.selectFrom('deliveries').select('id').execute();
  expect(rows).toHaveLength(100);
});

it('pages through deliveries, newest first, and replays failed ones', async () => {
  const { served, api, path, accountId } = await server();
  const other = (await served.account('b')).api;
  await api.patch(`${path}/provider`, OPENAI);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await api.post(`${path}/test`)).body.id);
  // Deliveries in the same millisecond have no defined order, so each gets its own time.
  for (const [i, id] of ids.entries())
    await served.store.db
      .updateTable('deliveries')
      .set({ createdAt: `2026-01-0${9 - i}T00:00:00.000Z` })
      .where('id', '=', id)
      .execute();
  const page = async (query: string) => (await api.get(`${path}/deliveries${query}`)).body;
  const whole = await page('');
  expect([whole.total, whole.limit, whole.offset]).toEqual([5, 50, 0]);
  expect(whole.deliveries.map((one: { id: string }) => one.id)).toEqual(ids);
  expect(whole.deliveries[0].payload).toBeUndefined();
  expect((await page('?limit=2&offset=3')).deliveries).toEqual(whole.deliveries.slice(3));
  expect((await page('?offset=9007199254740991')).deliveries).toEqual([]);
  for (const query of ['?limit=0', '?limit=201', '?offset=-1', '?limit=x'])
    expect([query, (await api.get(`${path}/deliveries${query}`)).status]).toEqual([query, 422]);

  const replay = `/api/agent-deliveries/${ids[0]}/replay`;
  expect((await api.post(replay)).body).toEqual({
    detail: 'Only a failed delivery can be replayed',
    code: 'delivery_not_failed',
  });
  await served.store.db
    .updateTable('deliveries')
    .set({ status: 'failed', error: 'timeout', responseBody: '{}' })
    .where('id', '=', ids[0]!)
    .execute();
  expect((await other.post(replay)).status).toBe(404);
  expect((await other.get(`/api/agent-deliveries/${ids[0]}`)).status).toBe(404);
  expect((await other.get(`${path}/deliveries`)).status).toBe(404);
  const replayed = await api.post(replay);
  expect([replayed.status, replayed.body]).toMatchObject([
    202,
    { status: 'queued', error: null, response_body: null, replay_of: ids[0] },
  ]);
  const { result_path, ...delivery } = replayed.body;
  expect((await api.get(result_path)).body).toEqual(delivery);
  expect((await api.get(`/api/agent-deliveries/${ids[0]}`)).body).toMatchObject({ status: 'failed' });
  expect((await served.audited(accountId)).at(-1)).toBe('delivery.replay');
});

it('resets the conversations of an agent, of which there are none', async () => {
  const { api, path } = await server();
  expect((await api.post(`${path}/reset-conversations`)).body).toEqual({ status: 'ok', dropped: 0 });
  expect((await api.post('/api/agents/agt_none/reset-conversations')).status).toBe(404);
});
