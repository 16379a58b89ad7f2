import { latestOf } from '../../base/time.ts';
import type { Db } from '../database/tables.ts';
import { firstEventBehind, lastEventOfMessages, lastEventUntil, newestEventTime } from './events.ts';
import { findMessage, type Message, type MessagePosition, newestMessage } from './messages.ts';

/**
 * How far somebody has read what an account is told: `<ISO time>|<message id>`, or only a time. Messages are read up to
 * that message, all other events up to that time. The store gives every event a later time than all messages and events
 * before it, so the pair is exact whatever the clock does.
 */
export interface Cursor {
  /** ISO 8601 in UTC with milliseconds. */
  readonly iso: string;
  /** '': none; then `iso` alone counts. */
  readonly messageId: string;
}

/** ISO 8601 as programs write it; a blank before an offset was a plus before a URL was read. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+\- ]\d\d:?\d\d)?)?$/i;
const MAX_ID_LENGTH = 64;
/** Stands for the message before the first one. */
const NO_MESSAGE = 'msg_0';
/** Before every event. The current time would hide events from a reader if the clock stepped back. */
const BEFORE_ALL = '1970-01-01T00:00:00.000Z';

/** Null: it is no cursor. A time without an offset is in UTC. */
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

/** The cursor of a reader who has read everything up to this message. */
export function cursorOf({ createdAt, id }: Pick<Message, 'createdAt' | 'id'>): Cursor {
  return { iso: createdAt, messageId: id };
}

/** A cursor as the API writes it. */
export function cursorText({ iso, messageId }: Cursor): string {
  return `${iso}|${messageId}`;
}

const FIRST_POSITION: MessagePosition = { createdAt: '', seq: 0 };

/** The end of what an account is told. */
export interface Newest {
  /** The cursor of a reader who has read everything. */
  readonly cursor: Cursor;
  /** Of the newest message; before every message where there is none. */
  readonly position: MessagePosition;
}

/** How far an account's messages and events go at this moment. */
export async function newestOf(db: Db, accountId: string): Promise<Newest> {
  const eventTime = (await newestEventTime(db, accountId)) ?? BEFORE_ALL;
  const newest = await newestMessage(db, accountId);
  if (!newest) return { cursor: { iso: eventTime, messageId: NO_MESSAGE }, position: FIRST_POSITION };
  const iso = latestOf(newest.createdAt, eventTime);
  return { cursor: { iso, messageId: newest.id }, position: newest };
}

/**
 * Where a cursor is among the messages: behind its message; behind all of its time where the message is not known. Where
 * there was none the time does not count.
 */
export async function positionOf(
  db: Db,
  accountId: string,
  { iso, messageId }: Cursor,
): Promise<MessagePosition> {
  if (messageId === NO_MESSAGE) return FIRST_POSITION;
  const message = messageId === '' ? undefined : await findMessage(db, accountId, messageId);
  if (!message) return { createdAt: iso, seq: Number.MAX_SAFE_INTEGER };
  return { createdAt: message.createdAt, seq: message.seq };
}

/**
 * Up to which event the feed has told a reader of messages, whose cursor is at `position`. A message that had to wait
 * for others may be told again.
 */
export async function feedPositionOf(
  db: Db,
  accountId: string,
  { iso }: Cursor,
  { seq }: MessagePosition,
): Promise<number> {
  if (seq === Number.MAX_SAFE_INTEGER) return await lastEventUntil(db, accountId, iso);
  const last = seq > 0 ? await lastEventOfMessages(db, accountId, seq) : 0;
  // The feed tells of a message that had to wait later than its place says.
  const first = await firstEventBehind(db, accountId, seq);
  return first === undefined ? last : Math.min(last, first - 1);
}

/** Whether one place is behind another. */
export function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.createdAt === other.createdAt ? one.seq > other.seq : one.createdAt > other.createdAt;
}
