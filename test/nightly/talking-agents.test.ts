import { expect, it, onTestFinished } from 'vitest';
import { readGatewayRows } from '../support/gateway-database.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { accepted } from '../support/kind-agents.ts';
import { waitFor } from '../support/wait-for.ts';

/** Turns that an agent has in an hour; all agents of the account together have five times as many. */
const TURNS = 6;
const GREETERS = 12;

interface Told {
  readonly scope: string;
  readonly percent: number;
  readonly agent_id?: string;
}

/** A gateway whose agents may write to each other, and call a real endpoint that is asked as often as they are called. */
async function agents(count: number) {
  const world = await InlineGateway.start({ SVC_BUDGET_TURNS: `${TURNS}`, SVC_DM_TIMEOUT_TEXT: 'off' });
  onTestFinished(() => world.stop());
  const { settingsApi, dataFolder } = world.gateway;
  accepted(await settingsApi.patch(`/api/agents/${world.agentId}`, { name: 'Agent 0' }));
  const ids = [world.agentId];
  while (ids.length < count)
    ids.push(accepted(await settingsApi.post('/api/agents', { name: `Agent ${ids.length}` })).id);
  const config = { api_key: world.openai.key, model: 'gpt-6-luna' };
  for (const id of ids) {
    accepted(await settingsApi.patch(`/api/agents/${id}/provider`, { provider: 'openai', config }));
    const policy = { new_conversations: true, actions_per_turn: 20 };
    accepted(await settingsApi.patch(`/api/agents/${id}/policy`, policy));
  }
  const asked = new Map<string, number>();
  /** What the models have been told, by the account's own deliveries. */
  const turnsOf = () => {
    for (const id of ids) asked.set(id, 0);
    const answered = world.deliveries().filter(({ status }) => status === 'delivered');
    const turns = new Map(answered.map(({ id, turn_id, agent_id }) => [turn_id ?? id, agent_id]));
    for (const id of turns.values()) asked.set(id, (asked.get(id) ?? 0) + 1);
    return asked;
  };
  const told = (): Told[] =>
    readGatewayRows<{ payload: string }>(
      dataFolder,
      "select payload from events where type = 'budget' order by id",
    ).map(({ payload }) => JSON.parse(payload));
  return { world, ids, turnsOf, told };
}

/** Waits until models are refused, and nothing is under way any more. */
async function spent(world: InlineGateway): Promise<void> {
  await waitFor('a budget to be spent', () =>
    world.deliveries().some(({ error_type }) => error_type === 'budget_spent'),
  );
  let before = -1;
  await waitFor('the talk to end', async () => {
    const all = await world.settled(1);
    const isOver = all.length === before;
    before = all.length;
    return isOver;
  });
}

it('two agents that answer each other stop at the budget, of which their owner is told once', async () => {
  const { world, ids, turnsOf, told } = await agents(2);
  let calls = 0;
  world.openai.reply = ({ text }) => {
    calls += 1;
    return text.includes('Talk to Agent 1')
      ? '<dm platform="agent" to="Agent 1">Hello</dm>'
      : `And then? ${calls}`;
  };
  world.bot.person({ id: 1_001, first_name: 'Ann' }).says('Talk to Agent 1');
  await spent(world);
  expect(calls).toBeLessThanOrEqual(2 * TURNS);
  expect(Math.max(...turnsOf().values())).toBe(TURNS);
  const full = told().filter(({ percent }) => percent === 100);
  expect(new Set(full.map(({ agent_id }) => agent_id)).size).toBe(full.length);
  expect(full.length).toBeGreaterThanOrEqual(1);
  expect(full.length).toBeLessThanOrEqual(ids.length);
});

it('twelve agents that greet everybody who greets them stop at the budget of their account', async () => {
  const { world, told } = await agents(GREETERS);
  const everybody = Array.from(
    { length: GREETERS },
    (_, n) => `<dm platform="agent" to="Agent ${n}">Hello</dm>`,
  );
  let calls = 0;
  world.openai.reply = () => {
    calls += 1;
    return everybody.join('');
  };
  world.bot.person({ id: 1_001, first_name: 'Ann' }).says('Greet everybody');
  await spent(world);
  expect(calls).toBe(5 * TURNS);
  expect(told().filter(({ scope, percent }) => scope === 'account' && percent === 100)).toHaveLength(1);
});
