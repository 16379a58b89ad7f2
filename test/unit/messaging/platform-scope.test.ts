import { expect, test } from 'vitest';
import type { Platform } from '../../../src/base/platform.ts';
import type { AgentScope } from '../../../src/base/scope.ts';
import { readFeed } from '../../../src/messaging/inbox/feed.ts';
import { readConversation, readDetail, takeSnapshot } from '../../../src/messaging/inbox/inbox.ts';
import { readDelta } from '../../../src/messaging/inbox/inbox-delta.ts';
import { newestOf, positionOf } from '../../../src/store/messages/cursor.ts';
import { appendEvent } from '../../../src/store/messages/events.ts';
import { messagingWorld, type World, write } from './messaging-world.ts';
import { waitersOf } from './waiters-of.ts';

const ALL = { status: null, limit: 50, offset: 0 };
const FIRST = { limit: 50, offset: 0 };

function only(world: World, ...platforms: Platform[]): AgentScope {
  return { ...world.scope, platforms: new Set(platforms) };
}

/** A Telegram message, then an event of a phone call, then one without a platform. */
async function eventful(): Promise<World> {
  const world = await messagingWorld();
  await write(world, '1', { text: 'hello' });
  const { store, accountId, agentId, clock } = world;
  const event = { accountId, agentId, type: 'call_state', payload: {}, createdAt: clock.nowIso() };
  await appendEvent(store.db, { ...event, platform: 'sip' });
  await appendEvent(store.db, { ...event, type: 'other' });
  return world;
}

async function typesTold({ reading }: World, scope: AgentScope): Promise<string[]> {
  return (await readFeed(reading, scope, 0, 100)).events.map(({ type }) => type);
}

test('a feed contains only the platforms of its scope', async () => {
  const world = await eventful();
  expect(await typesTold(world, world.scope)).toEqual(['dm_chat', 'call_state', 'other']);
  expect(await typesTold(world, only(world, 'telegram'))).toEqual(['dm_chat']);
  expect(await typesTold(world, only(world, 'sip'))).toEqual(['call_state']);
  expect(await typesTold(world, only(world, 'sip', 'telegram'))).toEqual(['dm_chat', 'call_state']);
});

test('conversations of other platforms are hidden', async () => {
  const world = await eventful();
  const { reading } = world;
  const [seen] = (await takeSnapshot(reading, only(world, 'telegram'), ALL)).previews;
  expect(seen?.lastMessage?.text).toBe('hello');
  const blind = only(world, 'whatsapp', 'sip');
  expect((await takeSnapshot(reading, blind, ALL)).previews).toEqual([]);
  const wanted = { platform: 'telegram', status: null, peer: '', task: '' } as const;
  await expect(readDetail(reading, blind, wanted, FIRST)).rejects.toThrow('No active conversation');
  const one = readConversation(reading, blind, seen!.conversation.id, FIRST);
  await expect(one).rejects.toThrow('Conversation not found');
});

test('a delta contains nothing of other platforms, waiting or not', async () => {
  const world = await messagingWorld();
  const { reading, accountId, clock } = world;
  const { cursor } = await newestOf(reading.store.db, accountId);
  const position = await positionOf(reading.store.db, accountId, cursor);
  const question = { cursor, position, platform: undefined, peer: { peer: '', task: '' }, limit: 50 };
  const ask = (scope: AgentScope) => ({ ...question, scope });
  const waiters = waitersOf(world);
  const waiting = { credentialId: 'key_1', waitMs: 1_000, signal: new AbortController().signal };
  const blind = waiters.wait(ask(only(world, 'sip')), waiting);
  const seeing = waiters.wait(ask(only(world, 'telegram')), waiting);
  await write(world, '1', { text: 'hello' });
  expect((await seeing).groups.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual([
    'hello',
  ]);
  clock.advance(1_000);
  expect((await blind).groups).toEqual([]);
  expect((await readDelta(reading, ask(only(world, 'sip')))).groups).toEqual([]);
});
