import { expect, it } from 'vitest';
import type { BudgetNotice } from '../../../src/accounts/budgets/budget.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { InlineWorld } from './inline-world.ts';

it('calls no model when the budget of turns is used up, until the next hour', async () => {
  const notices: BudgetNotice[] = [];
  const world = await InlineWorld.start(undefined, {}, { turns: 5, notices });
  for (let turn = 1; turn <= 8; turn++) {
    await world.says('42', `Question ${turn}`);
    await world.idle();
  }
  expect(world.model.turns).toHaveLength(5);
  const failed = (await world.deliveries()).slice(5);
  for (const delivery of failed)
    expect(delivery).toMatchObject({ status: 'failed', errorType: 'budget_spent' });
  expect(failed[0]?.error).toBe(
    'The budget of the agent is used up: 5 calls of a model per hour, until 2030-01-01T01:00:00.000Z',
  );
  expect(notices.map(({ percent }) => percent)).toEqual([80, 100]);
  world.messaging.clock.advance(3_600_000);
  await world.says('42', 'And now?');
  await world.written(6);
});

it('counts the tokens of a turn, and every attempt, and stores both', async () => {
  const world = await InlineWorld.start();
  const { store, clock, accountId, agentId } = world.messaging;
  await world.says('42', 'Hi');
  await world.written(1);
  await world.idle();
  const after = await budgetsOf(store, clock);
  const { turns, tokens } = after.viewOf(accountId, agentId).used.hour;
  expect(turns).toBe(1);
  expect(tokens).toBeGreaterThan(0);
});
