import { expect, onTestFinished, test } from 'vitest';
import { AlbumBuffer } from '../../../../src/connectors/telegram/albums.ts';
import type { Reading, ReadMessage } from '../../../../src/connectors/telegram/update-reading.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { waitFor } from '../../../support/wait-for.ts';

function message(id: number, fields: Partial<ReadMessage> = {}): ReadMessage {
  return {
    kind: 'message',
    updateId: id,
    lastUpdateId: id,
    person: { remoteId: '42', remoteName: 'Ada' },
    group: null,
    thread: null,
    isOverheard: false,
    messageId: `${id}`,
    sentAt: '2030-01-01T00:00:00.000Z',
    albumId: null,
    text: '',
    files: [],
    replyTo: undefined,
    ...fields,
  };
}

function part(id: number, albumId: string, fields: Partial<ReadMessage> = {}): ReadMessage {
  const file = { name: `${id}.jpg`, mime: 'image/jpeg', sizeBytes: 1, ref: `ref of ${id}` };
  return message(id, { albumId, files: [file], ...fields });
}

const BOB = { person: { remoteId: '43', remoteName: 'Bob' } };

/** A buffer, and what it has delivered; `records` as left by an earlier one. */
function shelf(records = new MemoryRecords()) {
  const clock = new ManualClock();
  const told: ReadMessage[] = [];
  const failures: unknown[] = [];
  const state = { failing: 0 };
  const take = async (reading: Reading) => {
    if (state.failing > 0) {
      state.failing -= 1;
      throw new Error('the database is gone');
    }
    told.push(reading as ReadMessage);
  };
  const onFailure = (error: unknown) => failures.push(error);
  const made = new AlbumBuffer({ key: 'bot_1', clock, records, take, onFailure });
  onTestFinished(() => made.close());
  /** What was delivered: the first part's id, and the number of files. */
  const seen = () => told.map(({ messageId, files }) => `${messageId}: ${files.length}`);
  return { shelf: made, clock, records, told, failures, state, seen };
}

test('the parts of an album are delivered as one message, a second after the last', async () => {
  const { shelf: own, clock, records, told, seen } = shelf();
  await own.take(part(1, 'a', { text: 'three of them' }));
  clock.advance(999);
  await own.take(part(2, 'a'));
  await own.take(part(3, 'a'));
  clock.advance(999);
  await own.take(message(9, BOB));
  expect(seen()).toEqual(['9: 0']);
  clock.advance(1);
  await waitFor('the album', () => told.length === 2);
  expect(told[1]).toMatchObject({ messageId: '1', text: 'three of them', lastUpdateId: 3 });
  expect(told[1]!.files.map(({ ref }) => ref)).toEqual(['ref of 1', 'ref of 2', 'ref of 3']);
  await waitFor('no record', () => records.kept.size === 0);
});

test('anything else from the same person is delivered after the album', async () => {
  const { shelf: own, seen } = shelf();
  await own.take(part(1, 'a'));
  await own.take(part(2, 'a'));
  await own.take(part(11, 'c', BOB));
  await own.take(part(3, 'b'));
  await own.take(part(4, 'b'));
  await own.take(message(5));
  expect(seen()).toEqual(['1: 2', '3: 2', '5: 0']);
});

test('each part is recorded before it is accepted, and the next process continues with it', async () => {
  const first = shelf();
  await first.shelf.take(part(1, 'a'));
  await first.shelf.take(part(2, 'a'));
  await first.shelf.close();
  expect(first.told).toEqual([]);

  const second = shelf(first.records);
  await second.shelf.load();
  // It was not acknowledged in time.
  await second.shelf.take(part(2, 'a'));
  await second.shelf.take(part(3, 'a'));
  second.clock.advance(1_000);
  await waitFor('the album', () => second.told.length === 1);
  expect(second.seen()).toEqual(['1: 3']);

  const third = shelf();
  third.records.failures = 1;
  await expect(third.shelf.take(part(1, 'a'))).rejects.toThrow('the disk is full');
  await third.shelf.take(part(1, 'a'));
  third.clock.advance(1_000);
  await waitFor('the album', () => third.told.length === 1);
});

test('a repeated part is not a second one, even after the album was delivered', async () => {
  const { shelf: own, clock, told, seen, records } = shelf();
  for (const id of [1, 1, 2, 1]) await own.take(part(id, 'a'));
  clock.advance(1_000);
  await waitFor('the album', () => told.length === 1);
  await own.take(part(2, 'a'));
  clock.advance(1_000);
  await waitFor('no record', () => records.kept.size === 0);
  expect(seen()).toEqual(['1: 2']);
});

test('an album that cannot be stored is retried, and holds up what follows it', async () => {
  const { shelf: own, clock, told, seen, state, failures } = shelf();
  await own.take(part(1, 'a'));
  state.failing = 2;
  clock.advance(1_000);
  await waitFor('a failure', () => failures.length === 1);
  await expect(own.take(message(2))).rejects.toThrow('the database is gone');
  clock.advance(1_000);
  await waitFor('the album', () => told.length === 1);
  await own.take(message(2));
  expect(seen()).toEqual(['1: 1', '2: 0']);
});
