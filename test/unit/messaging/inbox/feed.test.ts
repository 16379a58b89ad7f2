import { expect, test } from 'vitest';
import { announce } from '../../../../src/messaging/inbox/announce.ts';
import {
  type FeedEvent,
  feedStart,
  isBefore,
  type Reached,
  reachedBy,
  readFeed,
} from '../../../../src/messaging/inbox/feed.ts';
import { findRow } from '../../../../src/store/database/rows.ts';
import { cursorText, newestOf, parseCursor } from '../../../../src/store/messages/cursor.ts';
import { appendEvent } from '../../../../src/store/messages/events.ts';
import { answer, messagingWorld, type World, write } from '../messaging-world.ts';

/** All events after a cursor, as short texts. */
async function toldSince(world: World, cursor: string | null, agentIds = world.scope.agentIds) {
  const scope = { ...world.scope, agentIds };
  const start = await feedStart(world.reading, scope, cursor === null ? null : parseCursor(cursor));
  const { events } = await readFeed(world.reading, scope, start.from, 100);
  return events.filter((event) => !isBefore(start, event)).map(short);
}

function short(event: FeedEvent): string {
  return event.kind === 'message' ? `${event.type} ${event.message.text}` : `${event.type}`;
}

async function cursorNow({ reading, accountId }: World): Promise<string> {
  return cursorText((await newestOf(reading.store.db, accountId)).cursor);
}

async function callEvent({ store, clock, accountId, agentId }: World, state: string): Promise<void> {
  const payload = { call_id: 'call_1', state };
  await appendEvent(store.db, { accountId, agentId, type: 'call_state', payload, createdAt: clock.nowIso() });
}

test('a feed continues after the message of a cursor', async () => {
  const world = await messagingWorld();
  const empty = await cursorNow(world);
  await write(world, '1', { text: 'a' });
  const afterA = await cursorNow(world);
  await callEvent(world, 'active');
  await write(world, '2', { text: 'b' });
  await answer(world, '2');
  const afterAnswer = await cursorNow(world);
  await write(world, '1', { text: 'c' });
  expect(await toldSince(world, empty)).toEqual(['dm_chat a', 'call_state', 'dm_chat b', 'dm_chat c']);
  expect(await toldSince(world, afterA)).toEqual(['call_state', 'dm_chat b', 'dm_chat c']);
  expect(await toldSince(world, afterAnswer)).toEqual(['dm_chat c']);
  expect(await toldSince(world, null)).toEqual([]);
  expect(await toldSince(world, '2029-12-31')).toHaveLength(4);
});

test('calls and messages continue after their own parts of the cursor', async () => {
  const world = await messagingWorld();
  await write(world, '1', { text: 'a' });
  await callEvent(world, 'ringing');
  const read = await cursorNow(world);
  await callEvent(world, 'active');
  await write(world, '1', { text: 'b' });
  const partsOf = (cursor: string) => cursor.split('|');
  const [time, message] = partsOf(await cursorNow(world));
  const [timeRead, messageRead] = partsOf(read);
  expect(await toldSince(world, `${timeRead}|${message}`)).toEqual(['call_state']);
  expect(await toldSince(world, `${time}|${messageRead}`)).toEqual(['dm_chat b']);
  expect(await toldSince(world, read)).toEqual(['call_state', 'dm_chat b']);
});

test('continuing from the cursor of any event returns all later ones once', async () => {
  const world = await messagingWorld();
  const { reading, scope, store } = world;
  const start = await feedStart(reading, scope, parseCursor(await cursorNow(world)));
  for (let n = 0; n < 4; n++) {
    await callEvent(world, `${n}`);
    await callEvent(world, `${n}`);
    await write(world, '1', { text: `a${n}` });
    await write(world, '2', { text: `b${n}` });
    const [conversation] = await store.db.selectFrom('conversations').selectAll().execute();
    const edited = { type: 'dm_edited', payload: {}, createdAt: '2020-01-01T00:00:00.000Z' };
    await store.db.transaction().execute((trx) => announce(trx, conversation!, edited));
  }
  const { events } = await readFeed(reading, scope, start.from, 100);
  expect(events).toHaveLength(20);
  let reached: Reached = start;
  for (const [at, event] of events.entries()) {
    reached = reachedBy(reached, event);
    const rest = events.slice(at + 1).map(short);
    expect(await toldSince(world, cursorText(reached.cursor))).toEqual(rest);
  }
});

test('a message event has its sender and conversation, and a cursor that continues after it', async () => {
  const world = await messagingWorld();
  const empty = await cursorNow(world);
  await write(world, '1', { text: 'a' });
  const { from } = await feedStart(world.reading, world.scope, parseCursor(empty));
  const page = await readFeed(world.reading, world.scope, from, 100);
  expect(page.events).toMatchObject([
    {
      type: 'dm_chat',
      eventId: expect.stringMatching(/^evt_/),
      conversation: {
        platform: 'telegram',
        kind: 'direct',
        thread: null,
        peer: { remoteId: '1', remoteName: 'Name of 1' },
      },
      message: { text: 'a', direction: 'inbound', sender: null, attachments: [] },
      at: { iso: expect.any(String), messageId: expect.stringMatching(/^msg_/) },
    },
  ]);
  expect(await readFeed(world.reading, world.scope, page.position, 100)).toMatchObject({ events: [] });
});

test('an agent’s feed has no events of others, and a scope of several has each event once', async () => {
  const world = await messagingWorld();
  const { db } = world.store;
  const agent = {
    accountId: world.accountId,
    name: 'n',
    isDefault: false,
    createdAt: world.clock.nowIso(),
  } as const;
  await db
    .insertInto('agents')
    .values([
      { ...agent, id: 'agt_2' },
      { ...agent, id: 'agt_3' },
    ])
    .execute();
  const membership = { agentId: 'agt_2', memberType: 'bot_token', memberId: world.botId } as const;
  await db.insertInto('agentAccounts').values(membership).execute();
  const empty = await cursorNow(world);
  await callEvent(world, 'active');
  await write(world, '1', { text: 'a' });
  expect(await toldSince(world, empty, ['agt_2'])).toEqual(['dm_chat a']);
  expect(await toldSince(world, empty, ['agt_3'])).toEqual([]);
  expect(await toldSince(world, empty, [world.agentId, 'agt_2'])).toEqual(['call_state', 'dm_chat a']);
});

test('a feed never skips a message that is announced late', async () => {
  const world = await messagingWorld();
  world.domain.queue = {
    replied: async () => '2030-01-01T00:00:10.000Z',
    flush: () => {},
    cameBack: async () => {},
  };
  await write(world, '1', { text: 'held' });
  world.domain.queue = null;
  const held = await cursorNow(world);
  await write(world, '2', { text: 'later' });
  const later = await cursorNow(world);
  const [message] = await world.store.db.selectFrom('messages').selectAll().orderBy('seq').execute();
  const conversation = await findRow(world.store.db, 'conversations', { id: message!.conversationId });
  const { createdAt, seq: messageSeq } = message!;
  const payload = { platform: 'telegram' };
  await announce(world.store.db, conversation!, { type: 'dm_chat', payload, createdAt, messageSeq });
  expect(await toldSince(world, held)).toEqual(['dm_chat later', 'dm_chat held']);
  expect(await toldSince(world, later)).toEqual(['dm_chat held']);
});

test('a feed leaves out deleted messages', async () => {
  const world = await messagingWorld();
  const empty = await cursorNow(world);
  await write(world, '1', { text: 'a' });
  await write(world, '1', { text: 'b' });
  await world.store.db.deleteFrom('messages').where('text', '=', 'a').execute();
  expect(await toldSince(world, empty)).toEqual(['dm_chat b']);
});
