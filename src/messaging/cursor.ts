import { isoAfter } from '../base/time.ts';
import { firstEventBehind, lastCallEvent, lastEventOfMessages, lastEventUntil } from '../store/events.ts';
import { findMessage, type Message, type MessagePosition, newestMessage } from '../store/messages.ts';
import type { Db } from '../store/tables.ts';

/**
 * How far somebody has read what an account is told: `<ISO time>|<message id>`, or only a time. Where calls have events,
 * too, the place of the last one follows the id, after a point.
 */
export interface Cursor {
  /** ISO 8601 in UTC with milliseconds. */
  readonly iso: string;
  /** '': none; then `iso` alone counts. */
  readonly messageId: string;
  /** The event of a call up to which all of them are known; null: those that came before the message are. */
  readonly callEvent: number | null;
}

/** ISO 8601 as programs write it; a blank before an offset was a plus before a URL was read. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+\- ]\d\d:?\d\d)?)?$/i;
const MAX_ID_LENGTH = 64;
const CALL_EVENT = /\.(\d{1,15})$/;
/** Stands for the message before the first one. */
const NO_MESSAGE = 'msg_0';

/** Null: it is no cursor. A time without an offset is in UTC. */
export function parseCursor(text: string): Cursor | null {
  const bar = text.indexOf('|');
  const iso = isoOf((bar < 0 ? text : text.slice(0, bar)).trim());
  const behind = bar < 0 ? '' : text.slice(bar + 1).trim();
  if (iso === null || behind.length > MAX_ID_LENGTH) return null;
  const place = CALL_EVENT.exec(behind)?.[1];
  return {
    iso,
    messageId: behind.replace(CALL_EVENT, ''),
    callEvent: place === undefined ? null : Number(place),
  };
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

/** A cursor as far as messages go. */
export type PlaceOfMessage = Pick<Cursor, 'iso' | 'messageId'>;

/** Where whoever has read everything up to this message is among messages. */
export function placeOf({ createdAt, id }: Pick<Message, 'createdAt' | 'id'>): PlaceOfMessage {
  return { iso: createdAt, messageId: id };
}

/** As it is told; where there are no events of calls, none is named. */
export function cursorText({ iso, messageId, callEvent }: Cursor): string {
  return callEvent ? `${iso}|${messageId}.${callEvent}` : `${iso}|${messageId}`;
}

const FIRST_POSITION: MessagePosition = { createdAt: '', seq: 0 };

/** The newest message of an account and the last event of its calls. */
export interface Newest {
  /** Of whoever has read all. */
  readonly cursor: Cursor & { readonly callEvent: number };
  /** Before every message where there is none. */
  readonly position: MessagePosition;
}

/** How far an account's messages and events of calls go at this moment. */
export async function newestOf(db: Db, accountId: string, nowIso: string): Promise<Newest> {
  const callEvent = await lastCallEvent(db, accountId);
  const newest = await newestMessage(db, accountId);
  if (!newest) return { cursor: { iso: nowIso, messageId: NO_MESSAGE, callEvent }, position: FIRST_POSITION };
  return { cursor: { ...placeOf(newest), callEvent }, position: newest };
}

/**
 * Where a cursor is among the messages: behind its message; behind all of its time where that is not known. Where there
 * was none the time does not count, so that a clock that is turned back hides nothing.
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
 * Where in the feed somebody is who has read messages up to a cursor, which is at `position`. Events that tell of no
 * message have no place among messages: those since the last message that the account got before the cursor are told
 * (again).
 */
export async function feedPositionOf(
  db: Db,
  accountId: string,
  { iso }: Cursor,
  { seq }: MessagePosition,
): Promise<number> {
  if (seq === Number.MAX_SAFE_INTEGER) return await lastEventUntil(db, accountId, iso);
  const last =
    seq > 0
      ? await lastEventOfMessages(db, accountId, seq)
      : await lastEventUntil(db, accountId, isoAfter(iso, -1));
  // Messages that had to wait for others are told of later than their place says.
  const first = await firstEventBehind(db, accountId, seq);
  return first === undefined ? last : Math.min(last, first - 1);
}

/**
 * The last event of a call that whoever has read up to a cursor, which is at `position`, has been told of. Where the
 * cursor does not name it, those since its message are told (again); the feed may have told of that message much later.
 * One that is ahead of the database, which may have been put back to an earlier state, hides nothing.
 */
export async function callEventOf(
  db: Db,
  accountId: string,
  cursor: Cursor,
  position: MessagePosition,
): Promise<number> {
  if (cursor.callEvent !== null) return Math.min(cursor.callEvent, await lastEventUntil(db, accountId, null));
  const before = await lastEventUntil(db, accountId, isoAfter(cursor.iso, -1));
  return Math.min(before, await feedPositionOf(db, accountId, cursor, position));
}

/** Whether one place is behind another. */
export function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.createdAt === other.createdAt ? one.seq > other.seq : one.createdAt > other.createdAt;
}
