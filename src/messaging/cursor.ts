import { findMessage, type Message, type MessagePosition, newestMessage } from '../store/messages.ts';
import type { Db } from '../store/tables.ts';

/** How far somebody has read an account's messages: `<ISO time>|<message id>`, or only a time. */
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

/** The cursor of whoever has read everything up to this message. */
export function cursorOf({ createdAt, id }: Pick<Message, 'createdAt' | 'id'>): string {
  return `${createdAt}|${id}`;
}

const FIRST_POSITION: MessagePosition = { createdAt: '', seq: 0 };

/** The newest message of an account, and the cursor of whoever has read all. */
export interface Newest {
  readonly cursor: string;
  /** Before every message where there is none. */
  readonly position: MessagePosition;
}

/** How far an account's messages go at this moment. */
export async function newestOf(db: Db, accountId: string, nowIso: string): Promise<Newest> {
  const newest = await newestMessage(db, accountId);
  if (newest) return { cursor: cursorOf(newest), position: newest };
  return { cursor: `${nowIso}|${NO_MESSAGE}`, position: FIRST_POSITION };
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

/** Whether one place is behind another. */
export function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.createdAt === other.createdAt ? one.seq > other.seq : one.createdAt > other.createdAt;
}
