import { afterAll, beforeAll, expect, it } from 'vitest';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let world: InlineGateway;

beforeAll(async () => {
  world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
});
afterAll(async () => {
  await world?.stop();
});

/** What the agent has used today. */
async function today() {
  const { budgets } = (await world.gateway.settingsApi.get('/api/usage')).body;
  return budgets.find(({ agent_id }: { agent_id: string | null }) => agent_id === world.agentId).day;
}

it('stops calling a model at the limit that its owner has set, tells that once, and remembers it', async () => {
  const { gateway, agentId, bot } = world;
  const path = `/api/agents/${agentId}`;
  const budget = { turns_per_day: 2, minutes_per_day: 0 };
  const changed = await gateway.settingsApi.patch(path, { budget });
  expect(changed.body.budget).toMatchObject({ turns_per_day: 2, turns_per_hour: null });
  const { cursor } = (await gateway.agentApi.get('/api/inbox')).body;
  const ann = bot.person({ id: 1_001, first_name: 'Ann' });
  for (let message = 1; message <= 3; message++) {
    ann.says(`message ${message}`);
    await world.settled(message);
  }
  expect(world.deliveries().map(({ error_type }) => error_type)).toEqual([null, null, 'budget_spent']);
  const { events } = (
    await gateway.agentApi.get(`/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`)
  ).body;
  const told = events.filter(({ type }: { type: string }) => type === 'budget');
  // Two of two turns are both.
  expect(told).toMatchObject([
    { scope: 'agent', resource: 'turns', span: 'day', percent: 80, limit: 2, agent_id: agentId },
    { percent: 100 },
  ]);
  await gateway.putTrunk({ host: '127.0.0.1', port: 9 });
  const call = { platform: 'sip', meeting_url: 'sip:1@127.0.0.1' };
  expect(await gateway.agentApi.post('/api/call', call)).toMatchObject({
    status: 429,
    body: { code: 'budget_spent' },
  });

  await gateway.restart();
  expect((await today()).turns).toEqual({ used: 2, limit: 2 });
  ann.says('message 4');
  expect((await world.settled(4)).at(-1)?.error_type).toBe('budget_spent');
  await gateway.settingsApi.patch(path, { budget: { turns_per_day: null } });
  ann.says('message 5');
  await waitFor('the third answer', () => ann.received.length === 3);
  expect((await today()).turns).toEqual({ used: 3, limit: 10_000 });
});
