import { expect, it } from 'vitest';
import { agentServer } from './agent-server.ts';

async function agentOf() {
  const server = await agentServer();
  const { accountId, api } = await server.account('a');
  const { agents } = (await api.get('/api/agents')).body;
  const path = `/api/agents/${agents[0].id}/policy`;
  return { server, accountId, api, path, agentId: agents[0].id };
}

it('starts closed, and keeps what is left out of a change', async () => {
  const { server, accountId, api, path, agentId } = await agentOf();
  const closed = {
    agent_id: agentId,
    calls: [],
    new_conversations: false,
    actions_per_turn: 5,
    tools: null,
  };
  expect((await api.get(path)).body).toEqual(closed);
  const calls = ['+44 20 *', 'tel:+33199887766', 'SIP:Desk@Example.com', 'Zoom.us', '*'];
  const changed = await api.patch(path, { calls, new_conversations: true });
  const kept = ['+4420*', '+33199887766', 'sip:Desk@example.com', 'zoom.us', '*'];
  expect(changed.body).toEqual({ ...closed, calls: kept, new_conversations: true });
  await api.patch(path, { actions_per_turn: 0, tools: ['svc_account'] });
  const last = { ...changed.body, actions_per_turn: 0, tools: ['svc_account'] };
  expect((await api.get(path)).body).toEqual(last);
  expect((await api.patch(path, { tools: null })).body.tools).toBeNull();
  expect(await server.audited(accountId)).toEqual(['agent.policy', 'agent.policy', 'agent.policy']);
});

it.each([
  [{ calls: ['+44', 'zoom'] }, ['calls', 1]],
  [{ calls: Array(101).fill('+44*') }, ['calls']],
  [{ calls: ['*.example.com'] }, ['calls', 0]],
  [{ actions_per_turn: 21 }, ['actions_per_turn']],
  [{ actions_per_turn: -1 }, ['actions_per_turn']],
  [{ tools: ['svc_dm_chat'] }, ['tools', 0]],
  [{ new_conversations: 'yes' }, ['new_conversations']],
])('refuses %j', async (change, where) => {
  const { api, path } = await agentOf();
  const { status, body } = await api.patch(path, change);
  expect([status, body.detail[0].loc]).toEqual([422, ['body', ...where]]);
});

it('belongs to the account of the agent', async () => {
  const { server, path } = await agentOf();
  const { api: other } = await server.account('b');
  expect((await other.get(path)).status).toBe(404);
  expect((await other.patch(path, { calls: ['*'] })).status).toBe(404);
});

it('is gone with its agent', async () => {
  const { server, api } = await agentOf();
  const { id } = (await api.post('/api/agents', { name: 'Second' })).body;
  await api.patch(`/api/agents/${id}/policy`, { calls: ['*'] });
  await api.delete(`/api/agents/${id}`);
  expect(await server.store.db.selectFrom('agentPolicies').selectAll().execute()).toEqual([]);
});
