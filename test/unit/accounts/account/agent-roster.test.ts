import { expect, test } from 'vitest';
import { agentServer } from '../../agents/agent-server.ts';

test('a session acts for the current agents of its account, the default one first', async () => {
  const { account, agents } = await agentServer();
  const { accountId, api } = await account('a');
  const [first] = (await api.get('/api/agents')).body.agents;
  const second = (await api.post('/api/agents', { name: 'Second' })).body;
  expect(agents.roster.idsOf(accountId)).toEqual([first.id, second.id]);
  await api.post(`/api/agents/${second.id}/set-default`);
  expect(agents.roster.idsOf(accountId)).toEqual([second.id, first.id]);
  expect((await api.delete(`/api/agents/${first.id}`)).status).toBe(200);
  expect(agents.roster.idsOf(accountId)).toEqual([second.id]);
});
