import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentScope } from '../../../../src/base/scope.ts';
import type { Clock } from '../../../../src/base/time.ts';
import { announce } from '../../../../src/messaging/inbox/announce.ts';
import { type Delta, type DeltaQuestion, readDelta } from '../../../../src/messaging/inbox/inbox-delta.ts';
import type { Reading } from '../../../../src/messaging/inbox/inbox-view.ts';
import { insertAgent } from '../../../../src/store/agents/agents.ts';
import { changeRows, findRow } from '../../../../src/store/database/rows.ts';
import { cursorText, newestOf, parseCursor, positionOf } from '../../../../src/store/messages/cursor.ts';
import { NOW } from '../../store/temporary.ts';
import { answer, happen, messagingWorld, seedBot, type World, write, written } from '../messaging-world.ts';
import { waitersOf } from '../waiters-of.ts';

/** The next request of a client whose last result had this cursor. */
async function ask(
  { store }: Reading,
  scope: AgentScope,
  text: string,
  fields: Partial<DeltaQuestion> = {},
): Promise<DeltaQuestion> {
  const cursor = parseCursor(text)!;
  const position = await positionOf(store.db, scope.accountId, cursor);
  return { scope, cursor, position, platform: undefined, peer: { peer: '', task: '' }, limit: 50, ...fields };
}

async function cursorNow({ reading, accountId }: World): Promise<string> {
  return cursorText((await newestOf(reading.store.db, accountId)).cursor);
}

const idsIn = (delta: Delta) => delta.groups.flatMap(({ messages }) => messages.map(({ id }) => id));
const textsIn = (delta: Delta) => delta.groups.flatMap(({ messages }) => messages.map(({ text }) => text));

/** A second agent with a bot of its own. */
async function secondAgent({ store, accountId }: World): Promise<{ agentId: string; botId: string }> {
  const agentId = 'agt_second';
  const agent = { id: agentId, accountId, name: 'Second', isDefault: false, createdAt: NOW };
  await insertAgent(store.db, agent);
  return { agentId, botId: await seedBot(store, accountId, agentId) };
}

/** The world's clock, but it jumps back and forth between any two reads. */
function jumping(clock: Clock, jumpsMs: readonly number[]): Clock {
  let looks = 0;
  return {
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, action) => clock.after(delayMs, action),
    nowIso: () => new Date(Date.UTC(2030, 0, 1) + jumpsMs[looks++ % jumpsMs.length]!).toISOString(),
  };
}

const CURSOR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\|msg_[\w-]+$/;

/** An event of which each of the two agents gets a copy. */
async function editedForBoth({ store, agentId }: World, createdAt: string): Promise<void> {
  const edited = { type: 'dm_edited', payload: {}, createdAt };
  await store.db.transaction().execute(async (trx) => {
    const conversation = await trx.selectFrom('conversations').selectAll().executeTakeFirstOrThrow();
    await announce(trx, conversation, edited, [agentId, 'agt_second']);
  });
}

/** The ids of those events, except these. */
async function editsSince({ store }: World, former: readonly string[]): Promise<string[]> {
  const rows = await store.db
    .selectFrom('events')
    .select('payload')
    .where('type', '=', 'dm_edited')
    .execute();
  const ids = rows.map(({ payload }) => payload.event_id as string);
  return [...new Set(ids)].filter((id) => !former.includes(id));
}

test('cursors never skip and never repeat, with any concurrent writes and clock jumps', async () => {
  const world = await messagingWorld();
  const second = await secondAgent(world);
  const { store, accountId, agentId, botId } = world;
  const scopes = [[agentId], [second.agentId], [agentId, second.agentId]];

  const step = fc.record({
    bot: fc.constantFrom(botId, second.botId),
    remote: fc.constantFrom('1', '2', '3'),
    isAnswered: fc.boolean(),
    happens: fc.constantFrom('nothing', 'one', 'all', 'both'),
  });
  const reader = fc.record({ scope: fc.constantFrom(...scopes), limit: fc.integer({ min: 1, max: 5 }) });
  const jumps = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 10 });
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 25 }),
    fc.array(reader, { minLength: 1, maxLength: 4 }),
    jumps,
    async (steps, readers, jumpsMs) => {
      Object.assign(world.domain, { clock: jumping(world.clock, jumpsMs) });
      const reading = { ...world.reading, clock: jumping(world.clock, jumpsMs) };
      const before = await store.db.selectFrom('messages').select('id').execute();
      const oldEdits = await editsSince(world, []);
      const start = await cursorNow(world);
      const happened: { agentId: string | null; eventId: string }[] = [];
      let isWriting = true;
      const writing = Promise.all(
        steps.map(async ({ bot, remote, isAnswered, happens }) => {
          await world.intake.received(written(bot, remote));
          const called = happens === 'all' ? null : bot === botId ? agentId : second.agentId;
          const at = { ...world, clock: reading.clock };
          if (happens === 'both') await editedForBoth(world, reading.clock.nowIso());
          else if (happens !== 'nothing')
            happened.push({ agentId: called, eventId: await happen(at, called) });
          if (isAnswered) await answer({ ...world, botId: bot }, remote);
        }),
      ).finally(() => {
        isWriting = false;
      });
      const follow = async ({ scope: agentIds, limit }: { scope: string[]; limit: number }) => {
        const seen: string[] = [];
        const calls: string[] = [];
        let cursor = start;
        for (;;) {
          const wasWriting = isWriting;
          const delta = await readDelta(
            reading,
            await ask(reading, { accountId, agentIds, platforms: null }, cursor, { limit }),
          );
          const ids = idsIn(delta);
          expect(ids.length).toBeLessThanOrEqual(limit);
          expect(delta.events.length).toBeLessThanOrEqual(limit);
          expect(delta.cursor).toMatch(CURSOR);
          seen.push(...ids);
          calls.push(...delta.events.map(({ eventId }) => eventId));
          cursor = delta.cursor;
          if (!delta.hasNews && ids.length === 0 && !wasWriting) return { agentIds, seen, calls };
        }
      };
      const results = await Promise.all(readers.map(follow));
      await writing;
      const stored = await store.db
        .selectFrom('messages')
        .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
        .select(['messages.id', 'conversations.memberId'])
        .orderBy('seq')
        .execute();
      const old = new Set(before.map(({ id }) => id));
      for (const { agentIds, seen, calls } of results) {
        const rang = happened.filter((event) => event.agentId === null || agentIds.includes(event.agentId));
        const edits = await editsSince(world, [...oldEdits]);
        expect(calls.toSorted()).toEqual([...rang.map(({ eventId }) => eventId), ...edits].toSorted());
        const bots = [agentIds.includes(agentId) && botId, agentIds.includes(second.agentId) && second.botId];
        const wanted = stored.filter(({ id, memberId }) => !old.has(id) && bots.includes(memberId!));
        expect(seen.length).toBe(new Set(seen).size);
        expect(new Set(seen)).toEqual(new Set(wanted.map(({ id }) => id)));
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test('long-polling readers miss nothing', async () => {
  const world = await messagingWorld();
  const { reading, scope } = world;
  const waiters = waitersOf(world);
  const total = 200;
  const start = await cursorNow(world);
  const follow = async (limit: number) => {
    const seen: string[] = [];
    let cursor = start;
    while (seen.length < total) {
      const waiting = { credentialId: 'key_1', waitMs: 55_000, signal: new AbortController().signal };
      const delta = await waiters.wait(await ask(reading, scope, cursor, { limit }), waiting);
      seen.push(...textsIn(delta));
      cursor = delta.cursor;
    }
    return seen;
  };
  const readers = [1, 3, 50, 50].map(follow);
  const texts = Array.from({ length: total }, (_, n) => `number ${n}`);
  for (const [n, text] of texts.entries()) await write(world, `${n % 7}`, { text });
  for (const seen of await Promise.all(readers)) expect([...seen].sort()).toEqual([...texts].sort());
  expect(waiters.count).toBe(0);
});

test('messages are grouped by conversation, in both directions, oldest first, with their senders', async () => {
  const world = await messagingWorld();
  const cursor = await cursorNow(world);
  await write(world, '1', { text: 'a' });
  await write(world, '2', { text: 'b' });
  await answer(world, '1', { text: 'c' });
  const delta = await readDelta(world.reading, await ask(world.reading, world.scope, cursor));
  const told = delta.groups.map(({ conversation, messages }) => [
    conversation.peer.remoteId,
    messages.map(({ text, direction, senderAgentId }) => [text, direction, senderAgentId]),
  ]);
  expect(told).toEqual([
    [
      '1',
      [
        ['a', 'inbound', null],
        ['c', 'outbound', world.agentId],
      ],
    ],
    ['2', [['b', 'inbound', null]]],
  ]);
  expect(delta.groups[0]?.conversation.agents).toEqual([{ id: world.agentId, name: 'Default agent' }]);
  expect(delta.hasNews).toBe(true);
});

test('messages of the account’s own agents are returned, but do not count as news', async () => {
  const world = await messagingWorld();
  await write(world, '1');
  const cursor = await cursorNow(world);
  await answer(world, '1');
  await answer(world, '1', { senderAgentId: null });
  const delta = await readDelta(world.reading, await ask(world.reading, world.scope, cursor));
  expect([idsIn(delta).length, delta.hasNews]).toEqual([2, false]);
});

test('a message of a conversation that was closed since is still returned', async () => {
  const world = await messagingWorld();
  const cursor = await cursorNow(world);
  await write(world, '1', { text: 'last words' });
  const [{ id }] = (await world.store.db.selectFrom('conversations').select('id').execute()) as [
    { id: string },
  ];
  await changeRows(world.store.db, 'conversations', { id }, { status: 'closed' });
  const delta = await readDelta(world.reading, await ask(world.reading, world.scope, cursor));
  expect(textsIn(delta)).toEqual(['last words']);
  expect(delta.groups[0]?.conversation.status).toBe('closed');
});

test('a filter by platform or peer leaves out all others', async () => {
  const world = await messagingWorld();
  const cursor = await cursorNow(world);
  await write(world, '1', { text: 'a' });
  await write(world, '2', { text: 'b' });
  const filtered = async (fields: Partial<DeltaQuestion>) =>
    textsIn(await readDelta(world.reading, await ask(world.reading, world.scope, cursor, fields)));
  expect(await filtered({ platform: 'telegram' })).toEqual(['a', 'b']);
  expect(await filtered({ platform: 'whatsapp' })).toEqual([]);
  expect(await filtered({ platform: 'telegram', peer: { peer: '2', task: '' } })).toEqual(['b']);
  expect(await filtered({ platform: 'telegram', peer: { peer: 'name OF 1', task: '' } })).toEqual(['a']);
  expect(await filtered({ platform: 'telegram', peer: { peer: 'nobody', task: '' } })).toEqual([]);
});

test('call events are returned to the agents concerned, in pages, once', async () => {
  const world = await messagingWorld();
  const second = await secondAgent(world);
  const cursor = await cursorNow(world);
  const eventIds = [
    await happen(world, world.agentId),
    await happen(world, null),
    await happen(world, world.agentId),
  ];
  await happen(world, second.agentId);
  const read = async (from: string, limit: number, fields: Partial<DeltaQuestion> = {}) =>
    await readDelta(world.reading, await ask(world.reading, world.scope, from, { limit, ...fields }));
  const first = await read(cursor, 2);
  expect(first.events.map(({ eventId }) => eventId)).toEqual(eventIds.slice(0, 2));
  const last = await read(first.cursor, 2);
  expect(last.events.map(({ eventId }) => eventId)).toEqual(eventIds.slice(2));
  expect(await read(last.cursor, 2)).toMatchObject({ events: [], hasNews: false, cursor: last.cursor });
  expect((await read(cursor, 50, { platform: 'sip' })).events.length).toBe(3);
  expect((await read(cursor, 50, { platform: 'telegram' })).events).toEqual([]);
  const ofOnePeer = { platform: 'sip', peer: { peer: 'ada', task: '' } } as const;
  expect((await read(cursor, 50, ofOnePeer)).events).toEqual([]);
  const scope = { ...world.scope, platforms: new Set(['telegram'] as const) };
  expect((await readDelta(world.reading, await ask(world.reading, scope, cursor))).events).toEqual([]);
});

test('an event in the same millisecond as a message is returned after that message', async () => {
  const world = await messagingWorld();
  await happen(world, world.agentId);
  world.clock.advance(1);
  await write(world, '1');
  const [message] = await world.store.db.selectFrom('messages').selectAll().execute();
  const plain = `${message!.createdAt}|${message!.id}`;
  const since = async (cursor: string) =>
    (await readDelta(world.reading, await ask(world.reading, world.scope, cursor))).events;
  expect(await since(plain)).toEqual([]);
  const eventId = await happen(world, world.agentId);
  expect(await since(plain)).toMatchObject([{ eventId }]);
  expect((await since('2029-12-31')).length).toBe(2);
});

test('a call that rings before a held message is announced is returned after that message', async () => {
  const world = await messagingWorld();
  const start = await cursorNow(world);
  world.domain.queue = {
    replied: async () => '2030-01-01T00:00:10.000Z',
    flush: () => {},
    cameBack: async () => {},
  };
  await write(world, '1', { text: 'held' });
  const read = async (cursor: string) =>
    await readDelta(world.reading, await ask(world.reading, world.scope, cursor));
  const { cursor } = await read(start);
  const eventId = await happen(world, world.agentId);
  const [message] = await world.store.db.selectFrom('messages').selectAll().execute();
  const conversation = await findRow(world.store.db, 'conversations', { id: message!.conversationId });
  const { createdAt, seq: messageSeq } = message!;
  await announce(world.store.db, conversation!, { type: 'dm_chat', payload: {}, createdAt, messageSeq });
  expect((await read(cursor)).events).toMatchObject([{ eventId }]);
});

test('reading one peer does not skip calls', async () => {
  const world = await messagingWorld();
  await write(world, '1');
  await happen(world, world.agentId);
  const start = await cursorNow(world);
  const eventId = await happen(world, world.agentId);
  const read = async (cursor: string, fields: Partial<DeltaQuestion> = {}) =>
    await readDelta(world.reading, await ask(world.reading, world.scope, cursor, fields));
  const { cursor } = await read(start, { platform: 'telegram', peer: { peer: '1', task: '' } });
  expect((await read(cursor)).events).toMatchObject([{ eventId }]);
});

test('nothing is lost when the message of a cursor is deleted, the clock steps back and a page is cut', async () => {
  const world = await messagingWorld();
  world.clock.advance(3_600_000);
  await write(world, '1', { text: 'first' });
  const start = await cursorNow(world);
  await write(world, '1', { text: 'read' });
  const behind = { ...world, clock: jumping(world.clock, [0]) };
  Object.assign(world.domain, { clock: behind.clock });
  await happen(behind, world.agentId);
  await write(world, '2', { text: 'unread' });
  const read = async (cursor: string, limit: number) =>
    await readDelta(world.reading, await ask(world.reading, world.scope, cursor, { limit }));
  const cut = await read(start, 1);
  expect([textsIn(cut), cut.events]).toEqual([['read'], []]);
  await world.store.db.deleteFrom('messages').where('text', '=', 'read').execute();
  const rest = await read(cut.cursor, 5);
  expect([textsIn(rest), rest.events.length]).toEqual([['unread'], 1]);
});

test('a cursor never moves back, not even one from the future', async () => {
  const world = await messagingWorld();
  await write(world, '1');
  const future = '2040-01-01T00:00:00.000Z|';
  expect((await readDelta(world.reading, await ask(world.reading, world.scope, future))).cursor).toBe(future);
});

test('a plain time returns everything later', async () => {
  const world = await messagingWorld();
  await write(world, '1', { text: 'first' });
  world.clock.advance(1);
  await write(world, '1', { text: 'second' });
  const since = async (iso: string) =>
    textsIn(await readDelta(world.reading, await ask(world.reading, world.scope, iso)));
  expect(await since('2029-12-31')).toEqual(['first', 'second']);
  expect(await since('2030-01-01T00:00:00.000Z')).toEqual(['second']);
  expect(await since('2030-01-01T00:00:00.001Z')).toEqual([]);
});
