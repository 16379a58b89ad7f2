import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinAlbums, refetchFrom } from '../../../../src/connectors/telegram/albums.ts';
import type { AnyUpdate, Message, Update } from '../../../../src/connectors/telegram/bot-api-types.ts';
import { contentOf } from '../../../../src/connectors/telegram/message-content.ts';
import {
  type Reading,
  type ReadMessage,
  readingOf as readingFor,
} from '../../../../src/connectors/telegram/update-reading.ts';

const OWN = { id: '1', username: 'helper_bot' };
const readingOf = (update: AnyUpdate) => readingFor(update, OWN);

const CHAT = { id: 77, type: 'private', first_name: 'Ada', last_name: 'Lovelace', username: 'ada' };
const MESSAGE: Message = { message_id: 5, date: 1_800_000_000, chat: CHAT };

test('a message has its sender, text and time', () => {
  expect(readingOf({ update_id: 9, message: { ...MESSAGE, text: 'hello' } })).toEqual({
    kind: 'message',
    updateId: 9,
    lastUpdateId: 9,
    person: { remoteId: '77', remoteName: 'Ada Lovelace' },
    group: null,
    thread: null,
    messageId: '5',
    sentAt: '2027-01-15T08:00:00.000Z',
    albumId: null,
    isOverheard: false,
    text: 'hello',
    files: [],
  });
});

test.each<[string, Update]>([
  ['a channel', { update_id: 1, message: { ...MESSAGE, chat: { ...CHAT, type: 'channel' }, text: 'x' } }],
  ['a service message', { update_id: 1, message: { ...MESSAGE, pinned_message: {} } as Message }],
  ['an update of an unrequested kind', { update_id: 1, poll: {} } as unknown as Update],
])('%s is ignored', (_what, update) => {
  expect(readingOf(update)).toEqual({ kind: 'nothing', updateId: 1 });
});

test('an update that Telegram has never sent is unreadable', () => {
  const update = { update_id: 4, message: { text: 'x' } } as unknown as Update;
  expect(readingOf(update)).toEqual({ kind: 'unreadable', updateId: 4 });
});

test('an unreadable part does not affect the rest of the message', () => {
  const message = { ...MESSAGE, text: 'x', photo: 'none', document: { file_id: 7 }, sticker: null };
  expect(readingOf({ update_id: 4, message })).toMatchObject({ kind: 'message', text: 'x', files: [] });
});

test.each([
  ['a non-numeric id', { ...MESSAGE, message_id: '5' }],
  ['an impossible date', { ...MESSAGE, date: 1e300 }],
  ['a chat without an id', { ...MESSAGE, chat: { type: 'private' } }],
])('a message with %s is unreadable', (_what, message) => {
  const update = { update_id: 4, message: { ...message, text: 'x' } };
  expect(readingOf(update as unknown as Update)).toEqual({ kind: 'unreadable', updateId: 4 });
});

test.each<[object, string, object]>([
  [
    {
      photo: [
        { file_id: 'small', file_size: 10 },
        { file_id: 'large', file_size: 1_000 },
      ],
      caption: 'look',
    },
    'look',
    { name: 'photo_5.jpg', mime: 'image/jpeg', sizeBytes: 1_000, ref: 'large' },
  ],
  [
    { document: { file_id: 'd', file_name: 'a.pdf', mime_type: 'application/pdf', file_size: 3 } },
    '',
    { name: 'a.pdf', mime: 'application/pdf', sizeBytes: 3, ref: 'd' },
  ],
  [
    { animation: { file_id: 'g', file_name: 'cat.mp4' }, document: { file_id: 'g' } },
    '',
    { name: 'cat.mp4', mime: 'video/mp4', sizeBytes: null, ref: 'g' },
  ],
  [
    { voice: { file_id: 'v' } },
    '',
    { name: 'voice_5.ogg', mime: 'audio/ogg', sizeBytes: null, ref: 'v', isVoiceNote: true },
  ],
  [
    { sticker: { file_id: 's', emoji: '👍', is_animated: true } },
    '👍',
    { name: 'sticker_5.tgs', mime: 'application/x-tgsticker', sizeBytes: null, ref: 's' },
  ],
  [
    { video: { file_id: 'b', mime_type: 'video/mp4', file_size: 20_000_001 } },
    '',
    { name: 'video_5.mp4', mime: 'video/mp4', sizeBytes: 20_000_001, ref: null },
  ],
])('%j has the right text and file', (fields, text, file) => {
  expect(contentOf({ ...MESSAGE, ...fields })).toEqual({ text, files: [file] });
});

test.each<[object, string]>([
  [{ location: { latitude: 48.85, longitude: 2.35 } }, '[location: 48.85, 2.35]'],
  [{ contact: { phone_number: '+331', first_name: 'Bob' } }, '[contact: Bob, +331]'],
  [{ poll: { question: 'Why?' } }, '[poll: Why?]'],
  [{ dice: { emoji: '🎲', value: 6 } }, '[🎲 6]'],
])('%j is described in words', (fields, text) => {
  expect(contentOf({ ...MESSAGE, ...fields })).toEqual({ text, files: [] });
});

/** Messages of a few albums and single ones, in any order in which Telegram might send them. */
const rounds = fc
  .array(fc.constantFrom(null, null, 'a', 'b'), { minLength: 1, maxLength: 12 })
  .map((albums) =>
    albums.map((albumId, index): ReadMessage => {
      const reading = readingOf({
        update_id: 100 + index,
        message: { ...MESSAGE, message_id: index, photo: [{ file_id: `f${index}` }] },
      });
      return { ...(reading as ReadMessage), albumId };
    }),
  );

function refsOf(readings: readonly Reading[]): string[] {
  return readings.flatMap((reading) =>
    reading.kind === 'message' ? reading.files.map(({ ref }) => ref!) : [],
  );
}

function idOf(reading: Reading): string {
  return reading.kind === 'message' ? reading.messageId : '';
}

test('albums are joined without loss, and resuming at the first unhandled update gives whole albums', () => {
  fc.assert(
    fc.property(rounds, fc.nat(), (all, stop) => {
      const whole = joinAlbums(all, all.at(-1)!.albumId);
      expect(whole.open).toBeNull();
      expect(refsOf(whole.readings).sort()).toEqual(refsOf(all).sort());
      const albums = whole.readings.flatMap((reading) =>
        reading.kind === 'message' && reading.albumId !== null ? [reading.albumId] : [],
      );
      expect(new Set(albums).size).toBe(albums.length);

      const stopped = stop % whole.readings.length;
      const unhandled = whole.readings.slice(stopped);
      const from = refetchFrom(whole.readings, unhandled);
      const again = joinAlbums(all.slice(from - 100), all.at(-1)!.albumId).readings;
      expect(refsOf(unhandled).filter((ref) => !refsOf(again).includes(ref))).toEqual([]);
      // Handled messages are known by message id: it must not get new files, and old files must not get another id.
      const handled = new Map(
        whole.readings.slice(0, stopped).map((reading) => [idOf(reading), refsOf([reading])]),
      );
      const old = [...handled.values()].flat();
      for (const reading of again) {
        const known = handled.get(idOf(reading));
        expect(refsOf([reading]).filter((ref) => old.includes(ref))).toEqual(known ?? []);
      }
    }),
  );
});

test('an album at the end is left for the next round once, and none is split', () => {
  fc.assert(
    fc.property(rounds, (all) => {
      const { open, readings } = joinAlbums(all, null);
      const last = all.at(-1)!;
      expect(open?.albumId ?? null).toBe(last.albumId);
      if (open === null) return;
      const [before, after] = [all.slice(0, open.fromUpdateId - 100), all.slice(open.fromUpdateId - 100)];
      expect(refsOf(readings).sort()).toEqual(refsOf(before).sort());
      const albums = new Set(after.map(({ albumId }) => albumId));
      expect(albums).toContain(last.albumId);
      expect(before.filter(({ albumId }) => albumId !== null && albums.has(albumId))).toEqual([]);
      expect(joinAlbums(all, open.albumId).open).toBeNull();
    }),
  );
});
