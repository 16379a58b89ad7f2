import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentServer } from './agent-server.ts';

async function server() {
  const served = await agentServer();
  return { served, ...(await served.account('a')), other: (await served.account('b')).api };
}

it('shows a new key once, lists it without its text, and revokes it', async () => {
  const { served, api, other, accountId } = await server();
  const { status, body: made } = await api.post('/api/api-keys', { name: 'Laptop' });
  const { key, ...listed } = made;
  expect([status, key]).toEqual([200, expect.stringMatching(/^svc_[\w-]{43}$/)]);
  expect(listed).toEqual({
    id: expect.stringMatching(/^key_/),
    key_prefix: key.slice(0, 12),
    name: 'Laptop',
    created_at: expect.stringMatching(/Z$/),
    last_used_at: null,
    agent_ids: [(await api.get('/api/agents')).body.agents[0].id],
  });
  expect((await api.get('/api/api-keys')).body).toEqual({ keys: [listed] });
  expect((await other.get('/api/api-keys')).body).toEqual({ keys: [] });
  // The key is accepted, though only to learn that this server is not for it.
  expect((await served.api(key).get('/api/agents')).status).toBe(403);

  const path = `/api/api-keys/${made.id}`;
  expect((await other.delete(path)).body).toEqual({ detail: 'API key not found', code: 'key_not_found' });
  expect((await api.delete(`/api/settings-keys/${made.id}`)).status, 'of the other kind').toBe(404);
  expect((await api.delete(path)).body).toEqual({ status: 'deleted' });
  expect((await served.api(key).get('/api/agents')).status).toBe(401);
  expect(served.changed).toEqual([[made.id, []]]);
  expect((await api.delete(path)).status).toBe(404);
  expect((await api.get('/api/api-keys')).body).toEqual({ keys: [] });
  expect(await served.audited(accountId)).toEqual(['key.create', 'key.revoke']);
});

it('creates settings keys that can configure until they are revoked', async () => {
  const { served, api } = await server();
  const { body: made } = await api.post('/api/settings-keys', { name: 'Deploy' });
  expect(made.agent_ids).toEqual([]);
  const deploy = served.api(made.key);
  expect((await deploy.get('/api/settings-keys')).body.keys).toHaveLength(2);
  expect((await deploy.delete(`/api/settings-keys/${made.id}`)).status).toBe(200);
  expect((await deploy.get('/api/settings-keys')).status).toBe(401);
});

it('creates keys for verified addresses, and for accounts without an address', async () => {
  const { served } = await server();
  const { api, accountId } = await served.account('c', 'c@example.com');
  const agentId = (await api.get('/api/agents')).body.agents[0].id;
  const makers: [string, unknown][] = [
    ['/api/api-keys', { name: 'n' }],
    ['/api/settings-keys', { name: 'n' }],
    [`/api/agents/${agentId}/keys`, {}],
    [`/api/agents/${agentId}/internal-bearer/rotate`, undefined],
  ];
  for (const [path, body] of makers) {
    const answer = await api.post(path, body);
    expect([path, answer.status, answer.body.detail]).toEqual([path, 403, 'Email address is not verified']);
  }
  expect((await api.get(`/api/agents/${agentId}/internal-bearer`)).status).toBe(403);
  expect(await served.audited(accountId)).toEqual([]);
  await served.store.db
    .updateTable('accounts')
    .set({ emailVerifiedAt: '2026-01-01T00:00:00.000Z' })
    .execute();
  for (const [path, body] of makers) expect([path, (await api.post(path, body)).status]).toEqual([path, 200]);
});

it('creates a key in an agent, and moves it between agents but never out of all', async () => {
  const { served, api, other } = await server();
  const first = (await api.get('/api/agents')).body.agents[0].id;
  const second = (await api.post('/api/agents', { name: 'Second' })).body.id;
  const unnamed = await api.post(`/api/agents/${second}/keys`);
  expect([unnamed.status, unnamed.body.name, unnamed.body.agent_ids]).toEqual([200, 'Agent key', [second]]);
  const { id } = unnamed.body;
  const at = (agentId: string) => `/api/agents/${agentId}/keys/${id}`;
  const agentIds = async () => (await api.get('/api/api-keys')).body.keys[0].agent_ids;

  const refused = await api.delete(at(second));
  expect([refused.status, refused.body.detail]).toEqual([400, 'This is the only agent of the key']);
  expect((await api.delete(`/api/agents/${second}`)).status).toBe(400);
  for (const _again of [1, 2]) expect((await api.post(at(first))).body.keys).toHaveLength(1);
  expect(await agentIds(), 'the default agent first').toEqual([first, second]);
  expect((await api.delete(at(second))).body.keys).toEqual([]);
  expect(served.changed).toEqual([
    [id, [first, second]],
    [id, [first]],
  ]);
  expect((await api.delete(at(second))).status, 'not in it').toBe(404);
  expect((await api.delete(`/api/agents/${second}`)).status).toBe(200);

  const theirs = (await other.get('/api/agents')).body.agents[0].id;
  expect((await other.post(`/api/agents/${theirs}/keys/${id}`)).status).toBe(404);
  expect((await other.post(at(first))).status).toBe(404);
  expect((await other.delete(at(first))).status).toBe(404);
  expect((await other.post(`/api/agents/${first}/keys`)).status).toBe(404);
  const [settings] = (await api.get('/api/settings-keys')).body.keys;
  expect((await api.post(`/api/agents/${first}/keys/${settings.id}`)).status).toBe(404);
});

it('deletes an agent with keys only after they are revoked', async () => {
  const { api } = await server();
  const { id: agentId } = (await api.post('/api/agents', { name: 'Second' })).body;
  const { id } = (await api.post(`/api/agents/${agentId}/keys`, { name: 'n' })).body;
  expect((await api.delete(`/api/agents/${agentId}`)).status).toBe(400);
  await api.delete(`/api/api-keys/${id}`);
  expect((await api.delete(`/api/agents/${agentId}`)).status).toBe(200);
});

it('keeps one internal bearer per agent, hides it from the list of keys, and rotates it', async () => {
  const { served, api, other, accountId } = await server();
  const { id: agentId } = (await api.post('/api/agents', { name: 'Second' })).body;
  const path = `/api/agents/${agentId}/internal-bearer`;
  expect((await other.get(path)).status).toBe(404);
  const { status, body: first } = await api.get(path);
  expect([status, first]).toEqual([
    200,
    {
      agent_id: agentId,
      bearer: expect.stringMatching(/^svc_/),
      key_prefix: first.bearer.slice(0, 12),
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    },
  ]);
  expect((await api.get(path)).body).toEqual(first);
  expect(served.agents.keys.use(first.bearer)).toMatchObject({ isInternal: true, agentIds: [agentId] });

  const { body: second } = await api.post(`${path}/rotate`);
  expect(second.bearer).not.toBe(first.bearer);
  expect(served.agents.keys.use(first.bearer)).toBeNull();
  expect(served.changed).toHaveLength(1);
  const keyId = served.agents.keys.use(second.bearer)?.id;

  expect((await api.get('/api/api-keys')).body.keys).toEqual([]);
  expect((await api.get('/api/agents')).body.agents[1].keys).toEqual([]);
  expect((await api.delete(`/api/api-keys/${keyId}`)).status).toBe(404);
  expect((await api.delete(`/api/agents/${agentId}/keys/${keyId}`)).status).toBe(404);
  expect((await api.delete(`/api/agents/${agentId}`)).status, 'no orphan: it goes too').toBe(200);
  expect(served.agents.keys.use(second.bearer)).toBeNull();
  expect(await served.audited(accountId)).toEqual([
    'agent.create',
    'bearer.create',
    'bearer.rotate',
    'agent.delete',
  ]);
});

it('leaves no plain text of a key in the files', async () => {
  const { served, api } = await server();
  const texts = [
    (await api.post('/api/api-keys', { name: 'n' })).body.key,
    (await api.post('/api/settings-keys', { name: 'n' })).body.key,
  ];
  const agentId = (await api.get('/api/agents')).body.agents[0].id;
  texts.push((await api.get(`/api/agents/${agentId}/internal-bearer`)).body.bearer);
  for (const file of readdirSync(served.dataDir)) {
    const bytes = readFileSync(join(served.dataDir, file));
    for (const text of texts) expect([file, bytes.includes(text)]).toEqual([file, false]);
  }
});
