import type { AgentScope } from '../../base/scope.ts';
import { latestOf } from '../../base/time.ts';
import { listRows } from '../../store/database/rows.ts';
import { listConversationsById } from '../../store/messages/conversations.ts';
import {
  type Cursor,
  cursorOf,
  feedPositionOf,
  isBehind,
  newestOf,
  positionOf,
} from '../../store/messages/cursor.ts';
import {
  eventsOfAgents,
  lastEventUntil,
  otherEventsOfAgents,
  type StoredEvent,
} from '../../store/messages/events.ts';
import type { Message, MessagePosition } from '../../store/messages/messages.ts';
import { withAttachments } from './event-files.ts';
import { type ConversationView, type MessageView, type Reading, viewAll } from './inbox-view.ts';

/** One entry of an agent's feed, as shown to its reader. */
export type FeedEvent = MessageEvent | OtherEvent;

/** A new message. */
export interface MessageEvent extends Common {
  readonly kind: 'message';
  readonly conversation: Pick<ConversationView, 'id' | 'platform' | 'kind' | 'thread' | 'peer'>;
  readonly message: MessageView;
  readonly place: MessagePosition;
  /** The cursor of a reader who has read up to this message. */
  readonly at: Cursor;
}

/** Any event other than a message. `payload` uses the API's field names. */
export interface OtherEvent extends Common {
  readonly kind: 'other';
  /** The event's time, as used in cursors. */
  readonly cursorTime: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Common {
  /** Position after which the feed continues. */
  readonly position: number;
  /** Identical in every copy of the event and every time it is read. */
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: string;
}

/** One page of a feed. `position` is where the next page begins, even if this one is empty. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  readonly position: number;
  /** Whether more events may be available immediately. */
  readonly isFull: boolean;
}

/** How far a reader has read a feed. */
export interface Reached {
  readonly cursor: Cursor;
  /** The cursor's position among messages. */
  readonly place: MessagePosition;
}

/** Where a reader resumes a feed. */
export interface FeedStart extends Reached {
  /** Position to start reading from. */
  readonly from: number;
  /** The reader has already received every message up to this position. */
  readonly position: number;
}

/** Returns whether the reader received the event before resuming. */
export function isBefore({ position, cursor }: FeedStart, event: FeedEvent): boolean {
  return event.kind === 'other' ? event.cursorTime <= cursor.iso : event.position <= position;
}

/** Returns the reader's progress after reading one more event. */
export function reachedBy(reached: Reached, event: FeedEvent): Reached {
  const { cursor, place } = reached;
  if (event.kind === 'other')
    return { cursor: { ...cursor, iso: latestOf(cursor.iso, event.cursorTime) }, place };
  if (!isBehind(event.place, place)) return reached;
  const { iso, messageId } = event.at;
  // Non-message events that are delivered later have a later time than this message.
  return { cursor: { iso: latestOf(cursor.iso, iso), messageId }, place: event.place };
}

/** Returns where the feed resumes for a reader who has read everything up to `cursor`. Null: from now on. */
export async function feedStart(
  { store }: Reading,
  scope: AgentScope,
  cursor: Cursor | null,
): Promise<FeedStart> {
  const { accountId } = scope;
  return await store.db.transaction().execute(async (trx) => {
    if (cursor === null) {
      const { cursor: now, position: place } = await newestOf(trx, accountId);
      const position = await lastEventUntil(trx, accountId, null);
      return { from: position, position, cursor: now, place };
    }
    const place = await positionOf(trx, accountId, cursor);
    const position = await feedPositionOf(trx, accountId, cursor, place);
    const others = { after: cursor.iso, until: null, platform: undefined, limit: 1 };
    const [untold] = await otherEventsOfAgents(trx, scope, others);
    return { from: untold ? Math.min(position, untold.id - 1) : position, position, cursor, place };
  });
}

/** Reads at most `limit` stored events of a feed after `position`. Each event reaches a scope once. */
export async function readFeed(
  reading: Reading,
  scope: AgentScope,
  position: number,
  limit: number,
): Promise<FeedPage> {
  const found = await eventsOfAgents(reading.store.db, scope, position, limit);
  const stored = await withAttachments(reading, found);
  const messages = await readMessages(reading, scope, stored);
  const events: FeedEvent[] = [];
  for (const event of stored) {
    const told = event.messageSeq === null ? otherEvent(event) : messages.get(event.messageSeq)?.(event);
    // A scope with several agents has one copy per agent; copies are stored consecutively.
    if (told && told.eventId !== events.at(-1)?.eventId) events.push(told);
  }
  return { events, position: stored.at(-1)?.id ?? position, isFull: stored.length === limit };
}

/** Converts a stored event that is not a message. */
export function otherEvent({ id, type, createdAt, cursorTime, payload }: StoredEvent): OtherEvent {
  const { event_id: eventId, ...rest } = payload;
  return {
    kind: 'other',
    position: id,
    eventId: idOf(id, eventId),
    type,
    createdAt,
    cursorTime: cursorTime ?? createdAt,
    payload: rest,
  };
}

/** Call events have no id of their own; theirs is derived from their position. */
function idOf(position: number, eventId: unknown): string {
  return typeof eventId === 'string' ? eventId : `evt_${position}`;
}

/**
 * Returns, by message seq, a function that turns a stored event into that message's event. Deleted messages are left
 * out.
 */
async function readMessages(
  reading: Reading,
  scope: AgentScope,
  events: readonly StoredEvent[],
): Promise<Map<number, (event: StoredEvent) => MessageEvent>> {
  const seqs = [...new Set(events.flatMap(({ messageSeq }) => messageSeq ?? []))];
  if (seqs.length === 0) return new Map();
  const { db } = reading.store;
  const messages = await listRows(db, 'messages', { seq: seqs }, ['seq']);
  const ids = [...new Set(messages.map(({ conversationId }) => conversationId))];
  const conversations = await listConversationsById(db, scope, ids);
  const seen = messages.filter(({ conversationId }) => conversations.has(conversationId));
  const shown = await viewAll(reading, scope, [...conversations.values()], seen);
  return new Map(
    seen.map((message, at) => {
      const conversation = shown.conversations.get(message.conversationId)!;
      const told = { conversation, message: shown.messages[at]! };
      return [message.seq, (event: StoredEvent) => messageEvent(event, message, told)] as const;
    }),
  );
}

function messageEvent(
  { id, type, createdAt, payload }: StoredEvent,
  message: Message,
  told: Pick<MessageEvent, 'conversation' | 'message'>,
): MessageEvent {
  const common = { position: id, eventId: idOf(id, payload.event_id), type, createdAt };
  return { kind: 'message', ...common, place: message, at: cursorOf(message), ...told };
}
