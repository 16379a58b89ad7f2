import { expect, it } from 'vitest';
import type { BudgetNotice } from '../../../../src/accounts/budgets/budget.ts';
import { insertRow } from '../../../../src/store/database/rows.ts';
import { budgetsOf } from '../../../support/budgets.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryStore } from '../../store/temporary.ts';

const HOUR_MS = 3_600_000;
const ONE = { accountId: 'acc_1', agentId: 'agt_1' };
const OTHER = { accountId: 'acc_1', agentId: 'agt_2' };

async function account() {
  const store = await temporaryStore();
  const createdAt = '2026-01-01T00:00:00.000Z';
  await insertRow(store.db, 'accounts', { id: 'acc_1', name: 'One', createdAt });
  return { store, clock: new ManualClock() };
}

it('refuses at the limit of an hour, tells at 80 and 100 % once, and begins anew on the hour', async () => {
  const { store, clock } = await account();
  const notices: BudgetNotice[] = [];
  const budgets = await budgetsOf(store, clock, { turns: 10, notices });
  for (let turn = 0; turn < 10; turn++) {
    expect(budgets.spent(ONE, ['turns'])).toBeNull();
    budgets.count(ONE, { turns: 1 });
  }
  expect(budgets.spent(ONE, ['turns'])).toMatchObject({
    scope: 'agent',
    span: 'hour',
    limit: 10,
    endsAt: '2030-01-01T01:00:00.000Z',
  });
  expect(budgets.spent(ONE, ['tokens', 'minutes'])).toBeNull();
  expect(budgets.spent(OTHER, ['turns'])).toBeNull();
  budgets.count(ONE, { turns: 1 });
  expect(notices.map(({ scope, span, percent }) => [scope, span, percent])).toEqual([
    ['agent', 'hour', 80],
    ['agent', 'hour', 100],
  ]);
  clock.advance(HOUR_MS);
  expect(budgets.spent(ONE, ['turns'])).toBeNull();
});

it('limits an agent on a day to five busy hours, and an account to five busy agents', async () => {
  const { store, clock } = await account();
  const budgets = await budgetsOf(store, clock, { turns: 10 });
  for (let hour = 0; hour < 5; hour++) {
    budgets.count(ONE, { turns: 10 });
    clock.advance(HOUR_MS);
  }
  expect(budgets.spent(ONE, ['turns'])).toMatchObject({ scope: 'agent', span: 'day', limit: 50 });
  for (let agent = 0; agent < 5; agent++)
    budgets.count({ accountId: 'acc_1', agentId: `agt_${agent + 3}` }, { turns: 10 });
  expect(budgets.spent(OTHER, ['turns'])).toMatchObject({ scope: 'account', span: 'hour', limit: 50 });
});

it('goes on after a restart with what was used, by the hour and by the day', async () => {
  const { store, clock } = await account();
  const budgets = await budgetsOf(store, clock, { turns: 10 });
  budgets.count(ONE, { turns: 4, tokens: 700, callMs: 90_000 });
  await budgets.save(store.db, ONE);
  clock.advance(HOUR_MS);
  budgets.count(ONE, { turns: 3 });
  await budgets.save(store.db, ONE);
  const after = await budgetsOf(store, clock, { turns: 10 });
  for (const agentId of ['agt_1', null])
    expect(after.viewOf('acc_1', agentId).used).toEqual({
      hour: { turns: 3, tokens: 0, callMs: 0 },
      day: { turns: 7, tokens: 700, callMs: 90_000 },
    });
});

it('uses the limits that the owner has set in place of the gateway’s', async () => {
  const { store, clock } = await account();
  const budgets = await budgetsOf(store, clock, { turns: 10 });
  budgets.setLimits('agt_1', { turns_per_hour: 2 });
  budgets.count(ONE, { turns: 2 });
  budgets.count(OTHER, { turns: 2 });
  expect(budgets.spent(ONE, ['turns'])).toMatchObject({ limit: 2 });
  expect(budgets.spent(OTHER, ['turns'])).toBeNull();
});

it('stores nothing for an account that is gone', async () => {
  const { store, clock } = await account();
  const budgets = await budgetsOf(store, clock);
  budgets.count({ accountId: 'acc_gone', agentId: 'agt_9' }, { turns: 1 });
  await budgets.save(store.db, { accountId: 'acc_gone', agentId: 'agt_9' });
  expect((await budgetsOf(store, clock)).viewOf('acc_gone', 'agt_9').used.day.turns).toBe(0);
});
