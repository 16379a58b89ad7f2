import { latestOf } from '../../base/time.ts';
import { type Db, findRow } from '../database/rows.ts';
import { firstEventBehind, lastEventOfMessages, lastEventUntil, newestEventTime } from './events.ts';
import { type Message, type MessagePosition, newestMessage } from './messages.ts';

/**
 * A reader's position in an account's messages and events: `<ISO time>|<message id>`, or only a time. Messages are read
 * up to that message, all other events up to that time. The store gives every event a later time than all messages and
 * events before it, so the pair is exact even when the clock is set back.
 */
export interface Cursor {
  /** ISO 8601 in UTC with milliseconds. */
  readonly iso: string;
  /** '': no message; only `iso` counts. */
  readonly messageId: string;
}

/** ISO 8601 as programs write it. A blank before the offset was a plus sign before URL decoding. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+\- ]\d\d:?\d\d)?)?$/i;
const MAX_ID_LENGTH = 64;
/** Stands for the position before the first message. */
const NO_MESSAGE = 'msg_0';
/** Before every event. The current time would hide events from a reader if the clock were set back. */
const BEFORE_ALL = '1970-01-01T00:00:00.000Z';

/** Returns null for invalid text. A time without an offset is in UTC. */
export function parseCursor(text: string): Cursor | null {
  const bar = text.indexOf('|');
  const iso = isoOf((bar < 0 ? text : text.slice(0, bar)).trim());
  const messageId = bar < 0 ? '' : text.slice(bar + 1).trim();
  return iso === null || messageId.length > MAX_ID_LENGTH ? null : { iso, messageId };
}

function isoOf(text: string): string | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const offset = match[1];
  const local = (offset === undefined ? text : text.slice(0, -offset.length))
    .replace(/[ t]/, 'T')
    .replace(',', '.');
  const hasTime = local.includes('T');
  const zone = hasTime ? (offset?.replace(' ', '+').toUpperCase() ?? 'Z') : '';
  const time = Date.parse(local + zone.replace(/(\d\d):?(\d\d)$/, '$1:$2'));
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns the cursor of a reader who has read everything up to this message. */
export function cursorOf({ createdAt, id }: Pick<Message, 'createdAt' | 'id'>): Cursor {
  return { iso: createdAt, messageId: id };
}

/** Formats a cursor for the API. */
export function cursorText({ iso, messageId }: Cursor): string {
  return `${iso}|${messageId}`;
}

const FIRST_POSITION: MessagePosition = { createdAt: '', seq: 0 };

/** The end of an account's messages and events. */
export interface Newest {
  /** The cursor of a reader who has read everything. */
  readonly cursor: Cursor;
  /** Position of the newest message. If there is none, before every message. */
  readonly position: MessagePosition;
}

/** Returns the current end of an account's messages and events. */
export async function newestOf(db: Db, accountId: string): Promise<Newest> {
  const eventTime = (await newestEventTime(db, accountId)) ?? BEFORE_ALL;
  const newest = await newestMessage(db, accountId);
  if (!newest) return { cursor: { iso: eventTime, messageId: NO_MESSAGE }, position: FIRST_POSITION };
  return { cursor: { iso: latestOf(newest.createdAt, eventTime), messageId: newest.id }, position: newest };
}

/**
 * Returns a cursor's position among the messages: after its message, or after everything of its time if the message is
 * unknown. For a cursor from before the first message, the time does not count.
 */
export async function positionOf(
  db: Db,
  accountId: string,
  { iso, messageId }: Cursor,
): Promise<MessagePosition> {
  if (messageId === NO_MESSAGE) return FIRST_POSITION;
  const message = messageId === '' ? undefined : await findRow(db, 'messages', { accountId, id: messageId });
  if (!message) return { createdAt: iso, seq: Number.MAX_SAFE_INTEGER };
  return { createdAt: message.createdAt, seq: message.seq };
}

/**
 * Returns the feed position of a reader whose cursor is at `position` among the messages. A message that had to wait
 * for others may be read again.
 */
export async function feedPositionOf(
  db: Db,
  accountId: string,
  { iso }: Cursor,
  { seq }: MessagePosition,
): Promise<number> {
  if (seq === Number.MAX_SAFE_INTEGER) return await lastEventUntil(db, accountId, iso);
  const last = seq > 0 ? await lastEventOfMessages(db, accountId, seq) : 0;
  // A message that had to wait appears in the feed later than its position says.
  const first = await firstEventBehind(db, accountId, seq);
  return first === undefined ? last : Math.min(last, first - 1);
}

/** Returns whether `one` is after `other`. */
export function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.createdAt === other.createdAt ? one.seq > other.seq : one.createdAt > other.createdAt;
}
