import { expect, it } from 'vitest';
import { NOW } from '../store/temporary.ts';
import { type AgentServer, agentServer } from './agent-server.ts';

async function server() {
  const served = await agentServer();
  return { served, ...(await served.account('a')), other: (await served.account('b')).api };
}

/** A connection and a bot of the account, in one agent. */
async function connectPlatforms({ store }: AgentServer, accountId: string, agentId: string): Promise<void> {
  await store.db
    .insertInto('connections')
    .values({
      id: 'con_1',
      accountId,
      provider: 'teams',
      email: 'me@example.com',
      label: 'Me',
      status: 'ok',
      sealedCredentials: '',
      createdAt: NOW,
      updatedAt: NOW,
    })
    .execute();
  await store.db
    .insertInto('botTokens')
    .values({
      id: 'bot_1',
      accountId,
      platform: 'discord',
      botName: null,
      status: 'ok',
      sealedToken: '',
      discordAppId: '1',
      sealedSigningSecret: null,
      createdAt: NOW,
    })
    .execute();
  await store.db
    .insertInto('agentAccounts')
    .values([
      { agentId, memberType: 'connection', memberId: 'con_1' },
      { agentId, memberType: 'bot_token', memberId: 'bot_1' },
    ])
    .execute();
}

it('creates the default agent on the first request, once', async () => {
  const { api, other } = await server();
  const [first, second] = await Promise.all([api.get('/api/agents'), api.get('/api/agents')]);
  expect(first.body).toEqual({
    agents: [
      {
        id: expect.stringMatching(/^agt_/),
        name: 'Default agent',
        is_default: true,
        provider: null,
        created_at: expect.stringMatching(/Z$/),
        timeout_text: null,
        budget: {
          turns_per_hour: null,
          turns_per_day: null,
          tokens_per_hour: null,
          tokens_per_day: null,
          minutes_per_hour: null,
          minutes_per_day: null,
        },
        keys: [],
        oauth_clients: [],
        accounts: [],
      },
    ],
  });
  expect(second.body).toEqual(first.body);
  expect((await other.get('/api/agents')).body.agents[0].id).not.toBe(first.body.agents[0].id);
});

it('creates, renames and deletes agents, and writes each change to the audit log', async () => {
  const { served, api, other, accountId } = await server();
  const { status, body: made } = await api.post('/api/agents', { name: '  Front desk ' });
  expect([status, made.name, made.is_default, made.accounts]).toEqual([200, 'Front desk', false, []]);
  const path = `/api/agents/${made.id}`;
  expect((await api.patch(path, { name: 'Support' })).body).toEqual({ ...made, name: 'Support' });
  const { agents } = (await api.get('/api/agents')).body;
  expect(agents.map((agent: { name: string }) => agent.name)).toEqual(['Default agent', 'Support']);
  expect((await api.patch(`/api/agents/${agents[0].id}`, { name: 'Main' })).body.name).toBe('Main');

  for (const answer of [await other.patch(path, { name: 'mine' }), await other.delete(path)])
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: 'Agent not found', code: 'agent_not_found' },
    ]);
  expect((await api.delete(path)).body).toEqual({ status: 'deleted' });
  expect((await api.delete(path)).status).toBe(404);
  const refused = await api.delete(`/api/agents/${agents[0].id}`);
  expect([refused.status, refused.body.detail]).toEqual([400, 'The default agent cannot be deleted']);
  expect(served.ended).toEqual([made.id]);
  expect(await served.audited(accountId)).toEqual([
    'agent.create',
    'agent.rename',
    'agent.rename',
    'agent.delete',
  ]);
});

it.each([
  ['', 'string_too_short'],
  ['   ', 'string_too_short'],
  ['é'.repeat(81), 'string_too_long'],
  ['🔑'.repeat(81), 'string_too_long'],
  ['a\u0000b', 'value_error'],
  [7, 'string_type'],
])('refuses %j as a name', async (name, type) => {
  const { api } = await server();
  const answer = await api.post('/api/agents', { name });
  expect([answer.status, answer.body.detail[0].type]).toEqual([422, type]);
});

it('counts user-perceived characters in a name', async () => {
  const { api } = await server();
  const name = '🔑'.repeat(80);
  expect((await api.post('/api/agents', { name })).body.name).toBe(name);
});

it('moves the default, and new keys and numbers join the new one', async () => {
  const { api, served } = await server();
  const former = (await api.get('/api/agents')).body.agents[0];
  const { body: next } = await api.post('/api/agents', { name: 'Next' });
  const moved = await api.post(`/api/agents/${next.id}/set-default`);
  expect([moved.status, moved.body.is_default]).toEqual([200, true]);
  const { agents } = (await api.get('/api/agents')).body;
  expect(agents.map((agent: { id: string }) => agent.id)).toEqual([next.id, former.id]);
  expect(agents[1].is_default).toBe(false);

  expect((await api.post('/api/api-keys', { name: 'n' })).body.agent_ids).toEqual([next.id]);
  const did = (await api.post('/api/sip/dids', { number: '+33123456789' })).body;
  expect(served.directory.numbers.get(did.did_id)?.agentId).toBe(next.id);
  expect((await api.delete(`/api/agents/${former.id}`)).status).toBe(200);
});

it('lists the members of agents, and all platform accounts as candidates', async () => {
  const { api, other, served, accountId } = await server();
  const { id } = (await api.get('/api/agents')).body.agents[0];
  await connectPlatforms(served, accountId, id);
  const key = (await api.post('/api/api-keys', { name: 'n' })).body;
  const did = (await api.post('/api/sip/dids', { number: '+33123456789', label: 'Desk' })).body;
  const accounts = [
    {
      type: 'connection',
      id: 'con_1',
      status: 'ok',
      label: 'Me',
      provider: 'teams',
      email: 'me@example.com',
    },
    { type: 'bot_token', id: 'bot_1', status: 'ok', label: 'discord', platform: 'discord', bot_name: null },
    {
      type: 'sip_number',
      id: did.did_id,
      status: 'not_configured',
      label: 'Desk',
      number: '+33123456789',
    },
  ];
  expect((await api.get('/api/agents')).body.agents).toMatchObject([
    { id, keys: [{ id: key.id, key_prefix: key.key_prefix }], accounts },
  ]);
  expect((await api.get('/api/agents/_candidates')).body).toEqual({
    accounts: accounts.map((account) => ({ ...account, agent_ids: [id] })),
  });
  expect((await other.get('/api/agents/_candidates')).body).toEqual({ accounts: [] });
});

it('attaches a platform account to several agents, and detaches it from all but the last', async () => {
  const { api, other, served, accountId } = await server();
  const first = (await api.get('/api/agents')).body.agents[0].id;
  const second = (await api.post('/api/agents', { name: 'Second' })).body.id;
  const did = (await api.post('/api/sip/dids', { number: '+33123456789' })).body.did_id;
  const member = { account_type: 'sip_number', account_id: did };
  const from = (agentId: string) => `/api/agents/${agentId}/accounts/sip_number/${did}`;
  const routed = () => served.directory.numbers.get(did)?.agentId;

  for (const _again of [1, 2]) {
    const answer = await api.post(`/api/agents/${second}/accounts`, member);
    expect([answer.status, answer.body.accounts.length]).toEqual([200, 1]);
  }
  expect(routed()).toBe(first);
  expect((await api.delete(from(first))).body.accounts).toEqual([]);
  expect(routed()).toBe(second);
  const refused = await api.delete(from(second));
  expect([refused.status, refused.body.detail]).toEqual([400, 'This is the only agent of the account']);
  const kept = await api.delete(`/api/agents/${second}`);
  expect([kept.status, kept.body.detail]).toEqual([
    400,
    'A key, client or platform account belongs to this agent only; add it to another agent first',
  ]);
  expect((await served.audited(accountId)).filter((action) => action.endsWith('tach_account'))).toEqual([
    'agent.attach_account',
    'agent.detach_account',
  ]);

  const theirs = (await other.get('/api/agents')).body.agents[0].id;
  for (const [as, agentId, body] of [
    [other, theirs, member],
    [other, second, member],
    [api, theirs, member],
    [api, first, { ...member, account_id: 'did_none' }],
    [api, first, { ...member, account_type: 'connection' }],
  ] as const)
    expect((await as.post(`/api/agents/${agentId}/accounts`, body)).status).toBe(404);
  expect((await other.delete(from(second))).status).toBe(404);
  expect((await api.delete(from(first))).status, 'not in it').toBe(404);
  expect((await api.delete(`/api/agents/${second}/accounts/fax/${did}`)).status).toBe(404);
  expect((await api.post(`/api/agents/${first}/accounts`, { ...member, account_type: 'fax' })).status).toBe(
    422,
  );

  await api.post(`/api/agents/${first}/accounts`, member);
  expect((await api.delete(`/api/agents/${second}`)).status).toBe(200);
  expect(routed()).toBe(first);
  expect((await api.delete(`/api/sip/dids/${did}`)).status).toBe(200);
  expect(await served.store.db.selectFrom('agentAccounts').selectAll().execute()).toEqual([]);
});

it('keeps a number with the default agent when the default moves', async () => {
  const { api, served } = await server();
  const first = (await api.get('/api/agents')).body.agents[0].id;
  const second = (await api.post('/api/agents', { name: 'Second' })).body.id;
  const did = (await api.post('/api/sip/dids', { number: '+33123456789' })).body.did_id;
  await api.post(`/api/agents/${second}/accounts`, { account_type: 'sip_number', account_id: did });
  for (const agentId of [second, first]) {
    await api.post(`/api/agents/${agentId}/set-default`);
    expect(served.directory.numbers.get(did)?.agentId).toBe(agentId);
  }
});

it('accepts settings keys only', async () => {
  const { api, served } = await server();
  const { key } = (await api.post('/api/api-keys', { name: 'n' })).body;
  for (const path of ['/api/agents', '/api/agents/_candidates', '/api/agents/providers', '/api/api-keys']) {
    expect([path, (await served.api(key).get(path)).status]).toEqual([path, 403]);
    expect([path, (await served.api(null).get(path)).status]).toEqual([path, 401]);
    expect([path, (await api.get(path)).status]).toEqual([path, 200]);
  }
});

it('sets the text for people who get no answer in time', async () => {
  const { served, api, accountId } = await server();
  const { body: made } = await api.post('/api/agents', { name: 'Front desk' });
  const path = `/api/agents/${made.id}`;
  const told = async (timeout_text: unknown) => {
    const { status, body } = await api.patch(path, { timeout_text });
    return [status, body.timeout_text];
  };
  expect(await told('Back in a minute')).toEqual([200, 'Back in a minute']);
  expect((await api.patch(path, { name: 'Support' })).body).toMatchObject({
    name: 'Support',
    timeout_text: 'Back in a minute',
  });
  expect(await told('')).toEqual([200, '']);
  expect(await told(null)).toEqual([200, null]);
  expect(await told('x'.repeat(1_000))).toEqual([200, 'x'.repeat(1_000)]);
  for (const body of [{}, { timeout_text: 'x'.repeat(1_001) }, { timeout_text: 5 }])
    expect((await api.patch(path, body)).status).toBe(422);
  expect(await served.audited(accountId)).toContain('agent.timeout_text');
});
