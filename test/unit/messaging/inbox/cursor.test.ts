import { expect, test } from 'vitest';
import { isoAfter } from '../../../../src/base/time.ts';
import { findRow } from '../../../../src/store/database/rows.ts';
import {
  cursorOf,
  cursorText,
  isBehind,
  newestOf,
  parseCursor,
  positionOf,
} from '../../../../src/store/messages/cursor.ts';
import { newestEventTime } from '../../../../src/store/messages/events.ts';
import { happen, messagingWorld, type World, write } from '../messaging-world.ts';

test.each([
  ['2026-01-02T03:04:05.678Z|msg_1', '2026-01-02T03:04:05.678Z', 'msg_1'],
  ['2026-01-02T03:04:05.678Z|', '2026-01-02T03:04:05.678Z', ''],
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', ''],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z', ''],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z', ''],
  ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z', ''],
  ['2026-01-02', '2026-01-02T00:00:00.000Z', ''],
  ['2026-01-02T03:04:05.678901+00:00', '2026-01-02T03:04:05.678Z', ''],
  // A plus in a query is decoded as a space.
  ['2026-01-02T03:04:05 02:00|msg_1', '2026-01-02T01:04:05.000Z', 'msg_1'],
  ['2026-01-02T03:04:05-0130', '2026-01-02T04:34:05.000Z', ''],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z', ''],
])('%s is a cursor', (text, iso, messageId) => {
  expect(parseCursor(text)).toEqual({ iso, messageId });
});

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
])('%s is not a cursor', (text) => {
  expect(parseCursor(text)).toBeNull();
});

async function newest({ store, accountId }: World) {
  return await newestOf(store.db, accountId);
}

test('before the first message the cursor precedes every message, even if the clock is set back', async () => {
  const world = await messagingWorld();
  const { store, clock, accountId } = world;
  clock.advance(3_600_000);
  const { cursor } = await newest(world);
  expect(cursorText(cursor)).toBe('1970-01-01T00:00:00.000Z|msg_0');
  const position = await positionOf(store.db, accountId, cursor);
  // The clock is set back by an hour.
  expect(isBehind({ createdAt: '2030-01-01T00:00:00.000Z', seq: 1 }, position)).toBe(true);
});

test('a cursor points behind its message, or behind its time in another account', async () => {
  const world = await messagingWorld();
  const { store, accountId } = world;
  await write(world, '1');
  await write(world, '1');
  const { cursor, position } = await newest(world);
  const message = await findRow(store.db, 'messages', { accountId, id: cursor.messageId });
  expect(cursor).toEqual(cursorOf(message!));
  expect(await positionOf(store.db, accountId, cursor)).toEqual({
    createdAt: position.createdAt,
    seq: position.seq,
  });
  const unknown = await positionOf(store.db, 'acc_other', cursor);
  expect(unknown).toEqual({ createdAt: cursor.iso, seq: Number.MAX_SAFE_INTEGER });
});

test('an event has its own time, later than every message and event before it', async () => {
  const world = await messagingWorld();
  const cursors = [cursorText((await newest(world)).cursor)];
  for (const happens of [happen, happen, write, happen, write, write, happen]) {
    if (happens === happen) await happen(world, world.agentId);
    else await write(world, '1');
    cursors.push(cursorText((await newest(world)).cursor));
  }
  for (const text of cursors) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\|msg_[\w-]+$/);
  // The clock stands still.
  expect(cursors.map((text) => text.slice(0, text.indexOf('|'))).map((iso) => Date.parse(iso))).toEqual([
    0,
    ...[0, 1, 2, 3, 4, 4, 5].map((ms) => Date.UTC(2030, 0, 1) + ms),
  ]);
});

test('the next millisecond after any time is found', async () => {
  const world = await messagingWorld();
  const { store, accountId } = world;
  // In the order of time, so that each becomes the newest: the ends of days, and each millisecond, a second apart.
  const times = ['2028-02-28T23:59:59.999Z', '2028-02-29T23:59:59.999Z'];
  for (let ms = 0; ms < 1_000; ms++) times.push(isoAfter('2029-12-31T23:43:19.000Z', ms * 1_001));
  for (const createdAt of times) {
    await happen(world, null, { createdAt });
    await happen(world, null, { createdAt: '2020-01-01T00:00:00.000Z' });
    expect(await newestEventTime(store.db, accountId)).toBe(isoAfter(createdAt, 1));
  }
});
