import { expect, test } from 'vitest';
import {
  cursorText,
  isBehind,
  newestOf,
  parseCursor,
  placeOf,
  positionOf,
} from '../../../src/messaging/cursor.ts';
import { findMessage } from '../../../src/store/messages.ts';
import { messagingWorld, type World, write } from './messaging-world.ts';

test.each([
  ['2026-01-02T03:04:05.678Z|msg_1', '2026-01-02T03:04:05.678Z', 'msg_1'],
  ['2026-01-02T03:04:05.678Z|', '2026-01-02T03:04:05.678Z', ''],
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', ''],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z', ''],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z', ''],
  ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z', ''],
  ['2026-01-02', '2026-01-02T00:00:00.000Z', ''],
  ['2026-01-02T03:04:05.678901+00:00', '2026-01-02T03:04:05.678Z', ''],
  // A plus in a query reads as a blank.
  ['2026-01-02T03:04:05 02:00|msg_1', '2026-01-02T01:04:05.000Z', 'msg_1'],
  ['2026-01-02T03:04:05-0130', '2026-01-02T04:34:05.000Z', ''],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z', ''],
])('%s is a cursor', (text, iso, messageId) => {
  expect(parseCursor(text)).toEqual({ iso, messageId, callEvent: null });
});

test.each(['2026-01-02T03:04:05.678Z|msg_1.42', '2026-01-02T03:04:05.678Z|.42'])(
  '%s names a call, too',
  (text) => {
    const cursor = parseCursor(text)!;
    expect(cursor.callEvent).toBe(42);
    expect(cursor.messageId).not.toContain('.');
    expect(cursorText(cursor)).toBe(text);
  },
);

test.each([
  '',
  '|',
  '|msg_1',
  'now',
  '2026',
  '2026-13-01',
  '1767323045',
  'msg_1',
  `2026-01-02|${'x'.repeat(65)}`,
])('%s is none', (text) => {
  expect(parseCursor(text)).toBeNull();
});

async function newest({ store, clock, accountId }: World) {
  return await newestOf(store.db, accountId, clock.nowIso());
}

test('before the first message a cursor is before every message, however clocks are turned', async () => {
  const world = await messagingWorld();
  const { store, clock, accountId } = world;
  clock.advance(3_600_000);
  const { cursor } = await newest(world);
  expect(cursorText(cursor)).toBe(`${clock.nowIso()}|msg_0`);
  const position = await positionOf(store.db, accountId, cursor);
  // The clock is turned back by an hour.
  expect(isBehind({ createdAt: '2030-01-01T00:00:00.000Z', seq: 1 }, position)).toBe(true);
});

test('a cursor stands behind its message, and one of another account behind its time', async () => {
  const world = await messagingWorld();
  const { store, accountId } = world;
  await write(world, '1');
  await write(world, '1');
  const { cursor, position } = await newest(world);
  const message = await findMessage(store.db, accountId, cursor.messageId);
  expect(cursor).toEqual({ ...placeOf(message!), callEvent: 0 });
  expect(await positionOf(store.db, accountId, cursor)).toEqual({
    createdAt: position.createdAt,
    seq: position.seq,
  });
  const unknown = await positionOf(store.db, 'acc_other', cursor);
  expect(unknown).toEqual({ createdAt: cursor.iso, seq: Number.MAX_SAFE_INTEGER });
});
