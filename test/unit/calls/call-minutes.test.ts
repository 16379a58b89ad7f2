import { expect, it } from 'vitest';
import { minuteBudget } from '../../../src/accounts/budgets/minute-budget.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { CallMinutes } from '../../../src/calls/call-minutes.ts';
import { insertRow } from '../../../src/store/database/rows.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { NOW, temporaryStore } from '../store/temporary.ts';

const MINUTE_MS = 60_000;
const CHANGED = { type: 'call_state' } as CallEvent;
const PAYER = { accountId: 'acc_1', agentId: 'agt_1' };

/** As much of a call as its minutes need. */
class FakeCall {
  readonly identity = PAYER;
  readonly messages: unknown[] = [];
  state: unknown = { name: 'active', onHold: false };

  post(message: unknown): void {
    this.messages.push(message);
  }
}

async function world(minutes: number) {
  const store = await temporaryStore();
  await insertRow(store.db, 'accounts', { id: 'acc_1', name: 'One', createdAt: NOW });
  const clock = new ManualClock();
  const budgets = await budgetsOf(store, clock, { minutes });
  const failures: unknown[] = [];
  const budget = minuteBudget(budgets, store.db);
  const counted = new CallMinutes({ budget, clock, onFailure: (error) => failures.push(error) });
  const happened = (call: FakeCall): void => counted.happened(call as unknown as CallActor, CHANGED);
  return { store, clock, budgets, budget, failures, happened };
}

it('refuses new calls when the minutes are used up, and ends calls when a fifth more is', async () => {
  const { clock, budget, happened } = await world(10);
  const [one, other] = [new FakeCall(), new FakeCall()];
  happened(one);
  happened(other);
  clock.advance(4 * MINUTE_MS);
  expect(budget.refusal(PAYER)).toBeNull();
  clock.advance(MINUTE_MS);
  expect(budget.refusal(PAYER)).toMatchObject({ code: 'budget_spent', status: 429 });
  expect(one.messages).toEqual([]);
  clock.advance(MINUTE_MS);
  const ended = [{ type: 'hang_up', reason: 'the budget of minutes is used up' }];
  expect([one.messages, other.messages]).toEqual([ended, ended]);
});

it('counts a call to the millisecond of its end, and stores that', async () => {
  const { store, clock, budgets, failures, happened } = await world(10);
  const call = new FakeCall();
  happened(call);
  clock.advance(90_500);
  call.state = { name: 'ended', termination: {} };
  happened(call);
  clock.advance(MINUTE_MS);
  expect(budgets.viewOf('acc_1', 'agt_1').used.hour.callMs).toBe(90_500);
  const after = await waitFor('the minutes', async () => {
    const used = (await budgetsOf(store, clock)).viewOf('acc_1', null).used.day;
    return used.callMs === 90_500 && used;
  });
  expect(after.turns).toBe(0);
  expect(failures).toEqual([]);
});
