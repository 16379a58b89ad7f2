import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Delta, DeltaQuestion } from '../../../../src/messaging/inbox/inbox-delta.ts';
import { insertAgent } from '../../../../src/store/agents/agents.ts';
import { newestOf, positionOf } from '../../../../src/store/messages/cursor.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { NOW } from '../../store/temporary.ts';
import { answer, happen, messagingWorld, seedBot, type World, write, written } from '../messaging-world.ts';
import { waitersOf } from '../waiters-of.ts';

/** A world that counts its reads, and a way to wait in it. */
async function waitingRoom() {
  const world = await messagingWorld();
  const counted = { reads: 0 };
  const waiters = waitersOf(world, () => (counted.reads += 1));
  const wait = async (
    options: {
      credentialId?: string;
      accountId?: string;
      waitMs?: number;
      signal?: AbortSignal;
      agentIds?: string[];
    } = {},
  ): Promise<Delta> => {
    const { credentialId = 'key_1', waitMs = 55_000, signal = new AbortController().signal } = options;
    const question = await questionNow(world, options.agentIds);
    const { accountId = question.scope.accountId } = options;
    const asked = { ...question, scope: { ...question.scope, accountId } };
    return await waiters.wait(asked, { credentialId, waitMs, signal });
  };
  return { world, waiters, wait, counted };
}

async function questionNow(world: World, agentIds = world.scope.agentIds): Promise<DeltaQuestion> {
  const { reading, accountId } = world;
  const { cursor } = await newestOf(reading.store.db, accountId);
  const position = await positionOf(reading.store.db, accountId, cursor);
  const scope = { ...world.scope, agentIds };
  return { scope, cursor, position, platform: undefined, peer: { peer: '', task: '' }, limit: 50 };
}

/** Whether it is settled once all pending work has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let i = 0; i < 20; i++) await turn();
  return settled;
}

const textsIn = (delta: Delta) => delta.groups.flatMap(({ messages }) => messages.map(({ text }) => text));

test('many that one message wakes are answered in several turns of the event loop', async () => {
  const { world, waiters, wait } = await waitingRoom();
  const answered: number[] = [];
  let turns = 0;
  const waiting = Array.from({ length: 90 }, (_, n) =>
    wait({ credentialId: `key_${n % 2}` }).then(() => answered.push(turns)),
  );
  await waitFor('all to wait', () => waiters.count === 90);
  await write(world, '1', { text: 'hello' });
  for (; answered.length < 90; turns++) await turn();
  await Promise.all(waiting);
  const inTurn = Map.groupBy(answered, (at) => at);
  // Twenty, and another twenty of the next turn before this test sees it.
  expect(Math.max(...[...inTurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(40);
});

test('a message wakes a waiting request', async () => {
  const { world, waiters, wait } = await waitingRoom();
  const waiting = wait();
  await waitFor('somebody to wait', () => waiters.count === 1);
  expect(await isSettled(waiting)).toBe(false);
  await write(world, '1', { text: 'hello' });
  expect(textsIn(await waiting)).toEqual(['hello']);
  expect(waiters.count).toBe(0);
});

test('a ringing call wakes the requests of its agent, and no others', async () => {
  const { world, waiters, wait, counted } = await waitingRoom();
  const others = wait({ agentIds: ['agt_none'] });
  const waiting = wait();
  await waitFor('both to wait', () => waiters.count === 2);
  expect(await isSettled(waiting)).toBe(false);
  await happen(world, world.agentId);
  const { events, cursor } = await waiting;
  expect(events).toMatchObject([{ type: 'call_invite', payload: { call_id: 'call_1', state: 'ringing' } }]);
  expect(cursor).toBe('2030-01-01T00:00:00.000Z|msg_0');
  expect(await isSettled(others)).toBe(false);
  counted.reads = 0;
  const further = wait();
  await waitFor('both to wait', () => waiters.count === 2);
  expect(await isSettled(further)).toBe(false);
  await happen(world, null, { type: 'call_state' });
  expect((await further).events).toMatchObject([{ type: 'call_state' }]);
  expect((await others).events).toMatchObject([{ type: 'call_state' }]);
});

test('existing news are returned at once', async () => {
  const { world, waiters } = await waitingRoom();
  const question = await questionNow(world);
  await write(world, '1', { text: 'hello' });
  const options = { credentialId: 'key_1', waitMs: 55_000, signal: new AbortController().signal };
  expect(textsIn(await waiters.wait(question, options))).toEqual(['hello']);
});

test('an agent’s own answers wake no request, and are part of the next result', async () => {
  const { world, wait, waiters } = await waitingRoom();
  await write(world, '1', { text: 'old' });
  const waiting = wait();
  await waitFor('somebody to wait', () => waiters.count === 1);
  await answer(world, '1', { text: 'mine' });
  world.wakeups.wake(world.accountId);
  expect(await isSettled(waiting)).toBe(false);
  await write(world, '1', { text: 'new' });
  expect(textsIn(await waiting)).toEqual(['mine', 'new']);
});

test('a timeout returns a result without news, whose cursor moves on', async () => {
  const { world, wait, waiters } = await waitingRoom();
  await write(world, '1', { text: 'old' });
  const waiting = wait({ waitMs: 2_000 });
  await waitFor('somebody to wait', () => waiters.count === 1);
  const mine = await answer(world, '1', { text: 'mine' });
  world.wakeups.wake(world.accountId);
  world.clock.advance(1_999);
  expect(await isSettled(waiting)).toBe(false);
  world.clock.advance(101);
  const delta = await waiting;
  expect(textsIn(delta)).toEqual(['mine']);
  expect(delta.cursor).toBe(`${mine.createdAt}|${mine.id}`);
});

test('a message of another agent wakes no request', async () => {
  const { world, wait, waiters } = await waitingRoom();
  const waiting = wait({ agentIds: ['agt_none'] });
  await waitFor('somebody to wait', () => waiters.count === 1);
  await write(world, '1');
  expect(await isSettled(waiting)).toBe(false);
  waiters.close();
  expect(textsIn(await waiting)).toEqual([]);
});

test('requests with the same question share one read', async () => {
  const { world, wait, waiters, counted } = await waitingRoom();
  const waiting = Array.from({ length: 1_000 }, (_, n) => wait({ credentialId: `key_${n}` }));
  await waitFor('all to wait', () => waiters.count === 1_000);
  for (let i = 0; i < 20; i++) await turn();
  counted.reads = 0;
  await write(world, '1');
  const deltas = await Promise.all(waiting);
  expect(new Set(deltas).size).toBe(1);
  expect(counted.reads).toBe(1);
});

test('a message is read only for the agents that it is for', async () => {
  const { world, wait, waiters, counted } = await waitingRoom();
  const { store, accountId, agentId, intake } = world;
  const agent = { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW };
  await insertAgent(store.db, agent);
  const secondBot = await seedBot(store, accountId, 'agt_2');
  await write(world, '1');
  const idle = Array.from({ length: 30 }, (_, n) => wait({ agentIds: [agentId], credentialId: `key_${n}` }));
  const busy = async () => {
    const waiting = wait({ agentIds: ['agt_2'], credentialId: 'key_busy' });
    await waitFor('all to wait', () => waiters.count === 31);
    await intake.received(written(secondBot, '1', { text: 'hello' }));
    expect(textsIn(await waiting)).toEqual(['hello']);
  };
  // The very first message determines the position of the account.
  await busy();
  for (let i = 0; i < 20; i++) await turn();
  counted.reads = 0;
  for (let n = 0; n < 10; n++) await busy();
  expect(counted.reads).toBeLessThanOrEqual(20);
  waiters.close();
  await Promise.all(idle);
});

test('a client that disconnects leaves nothing behind', async () => {
  const { wait, waiters } = await waitingRoom();
  const gone = new AbortController();
  const waiting = wait({ signal: gone.signal });
  await waitFor('somebody to wait', () => waiters.count === 1);
  gone.abort();
  await waiting;
  expect(waiters.count).toBe(0);
  const late = wait({ signal: AbortSignal.abort() });
  await late;
  expect(waiters.count).toBe(0);
});

test('one credential may have 100 waiting requests, not 101', async () => {
  const { wait, waiters } = await waitingRoom();
  const waiting = Array.from({ length: 100 }, () => wait());
  await waitFor('all to wait', () => waiters.count === 100);
  await expect(wait()).rejects.toMatchObject({
    code: 'too_many_waiters',
    status: 429,
    message: 'At most 100 pending long-polls per key',
  });
  const other = wait({ credentialId: 'key_2' });
  await waitFor('the other to wait', () => waiters.count === 101);
  expect(waiters.refused).toBe(1);
  waiters.close();
  await Promise.all([...waiting, other]);
  expect(waiters.count).toBe(0);
  await expect(wait()).rejects.toMatchObject({ code: 'not_ready' });
});

test('an account may have 1,000 waiting requests with any number of keys, without affecting others', async () => {
  const { wait, waiters } = await waitingRoom();
  const waiting = Array.from({ length: 1_000 }, (_, n) => wait({ credentialId: `key_${n % 20}` }));
  await waitFor('all to wait', () => waiters.count === 1_000);
  await expect(wait({ credentialId: 'key_new' })).rejects.toMatchObject({
    code: 'too_many_waiters',
    message: 'At most 1000 pending long-polls per account',
  });
  const other = wait({ credentialId: 'key_other', accountId: 'acc_other' });
  await waitFor('the other to wait', () => waiters.count === 1_001);
  waiters.close();
  await Promise.all([...waiting, other]);
  expect(waiters.count).toBe(0);
});

test('the gateway may have 10,000 waiting requests, of which no account takes the last', async () => {
  const { wait, waiters } = await waitingRoom();
  const waiting = Array.from({ length: 9_500 }, (_, n) => {
    const account = Math.floor(n / 1_000);
    return wait({ credentialId: `key_${account}_${n % 10}`, accountId: `acc_${account}` });
  });
  await waitFor('all to wait', () => waiters.count === 9_500);
  waiting.push(wait({ credentialId: 'key_9_x', accountId: 'acc_9' }));
  await expect(wait({ credentialId: 'key_9_x', accountId: 'acc_9' })).rejects.toMatchObject({
    code: 'too_many_waiters',
    message: 'At most 10000 pending long-polls in the gateway',
  });
  waiting.push(wait({ credentialId: 'key_new', accountId: 'acc_new' }));
  await waitFor('somebody new to wait', () => waiters.count === 9_502);
  waiters.close();
  await Promise.all(waiting);
});

test('a credential that loses an agent stops waiting, others do not', async () => {
  const { wait, waiters } = await waitingRoom();
  const [lost, kept] = [wait({ credentialId: 'key_1' }), wait({ credentialId: 'key_2' })];
  await waitFor('both to wait', () => waiters.count === 2);
  waiters.dismiss('key_1');
  await lost;
  expect(await isSettled(kept)).toBe(false);
  waiters.close();
  await kept;
});
