import { expect, it } from 'vitest';
import type { BudgetNotice } from '../../../src/accounts/budgets/budget.ts';
import { STOP_SCORE } from '../../../src/inline/feed/loop-guard.ts';
import { awaitReply } from '../../../src/messaging/intake/await-reply.ts';
import type { ReceivedMessage } from '../../../src/messaging/intake/intake-domain.ts';
import { listRows } from '../../../src/store/database/rows.ts';
import { listAgentsWithNews } from '../../../src/store/inline/inline-agents.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { waitFor } from '../../support/wait-for.ts';
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

/** Longer than the model ever waits before it answers. */
const PAUSE_MS = 21_000;

/** Waits until the runner has decided on everything that was written. */
async function claimed({ messaging: { store, accountId } }: InlineWorld): Promise<void> {
  await waitFor('the deliveries', async () => (await listAgentsWithNews(store.db, accountId)).length === 0);
  await new Promise(setImmediate);
}

it('stops answering five auto-responders, tells the owner once for each, and sends them nothing more', async () => {
  const world = await InlineWorld.start();
  const people = ['1', '2', '3', '4', '5'];
  for (let round = 0; round < 20; round++) {
    for (const remoteId of people) await world.hears(remoteId, 'I am out of the office until Monday.');
    await claimed(world);
    world.messaging.clock.advance(PAUSE_MS);
    await world.idle();
  }
  expect(world.model.turns.length).toBeLessThanOrEqual(5 * STOP_SCORE);
  expect(world.model.turns.length).toBeGreaterThan(5 * 6);
  const { store, agentId } = world.messaging;
  const told = await listRows(store.db, 'events', { agentId, type: 'loop' });
  expect(told).toHaveLength(5);
  expect(told[0]?.payload).toMatchObject({ platform: 'telegram', conversation_id: expect.any(String) });
  const written = world.messenger.texts.length;
  world.messaging.clock.advance(5 * 60_000);
  await new Promise(setImmediate);
  expect(world.messenger.texts).toHaveLength(written);
  expect((await world.deliveries()).at(-1)).toMatchObject({ status: 'failed', errorType: 'loop' });
});

it('leaves an honest agent with 200 conversations in an hour alone', async () => {
  const notices: BudgetNotice[] = [];
  const world = await InlineWorld.start(undefined, {}, { turns: 2_000, notices });
  for (let person = 0; person < 200; person++) await world.hears(`${person}`, 'Can you help me?');
  await claimed(world);
  world.messaging.clock.advance(1_000);
  await world.written(200);
  await world.idle();
  expect(world.model.turns).toHaveLength(200);
  expect(notices).toEqual([]);
  expect((await world.deliveries()).some(({ status }) => status === 'failed')).toBe(false);
});

it('tells a person once an hour that no answer comes while the budget is used up', async () => {
  const world = await InlineWorld.start(undefined, {}, { turns: 1 });
  await world.says('42', 'Hi');
  await world.written(1);
  await world.idle();
  const { outbound } = world.deps;
  Object.assign(world.messaging.domain, {
    onReceived: (received: ReceivedMessage) => void awaitReply(outbound, received),
  });
  for (let minute = 0; minute < 10; minute++) {
    await world.hears('42', `Are you there? ${minute}`);
    await claimed(world);
    world.messaging.clock.advance(61_000);
    await new Promise(setImmediate);
  }
  expect(world.messenger.texts.filter((text) => text === 'No answer yet')).toHaveLength(1);
});
