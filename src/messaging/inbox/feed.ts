import type { AgentScope } from '../../base/scope.ts';
import { latestOf } from '../../base/time.ts';
import { type Conversation, listConversationsById } from '../../store/messages/conversations.ts';
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
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import { listMessagesBySeq, type Message, type MessagePosition } from '../../store/messages/messages.ts';
import { type MessageView, type Peer, type Reading, viewConversations, viewMessages } from './inbox-view.ts';

/** One entry of an agent's feed as it is told. */
export type FeedEvent = MessageEvent | OtherEvent;

/** Somebody wrote. */
export interface MessageEvent extends Common {
  readonly kind: 'message';
  readonly conversationId: string;
  readonly platform: MessagePlatform;
  readonly peer: Peer;
  readonly message: MessageView;
  readonly place: MessagePosition;
  /** The cursor of a reader who has read messages up to it. */
  readonly at: Cursor;
}

/** Anything else; `payload` in the words of the API. */
export interface OtherEvent extends Common {
  readonly kind: 'other';
  /** Its time in cursors. */
  readonly cursorTime: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Common {
  /** Where the feed goes on after it. */
  readonly position: number;
  /** The same wherever and however often the event is told. */
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: string;
}

/** One page of a feed; `position` is where the next one begins, whether anything was told or not. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  readonly position: number;
  /** Whether there may be more at once. */
  readonly isFull: boolean;
}

/** How far somebody has read a feed. */
export interface Reached {
  readonly cursor: Cursor;
  /** Of the cursor, among messages. */
  readonly place: MessagePosition;
}

/** Where a feed goes on for somebody. */
export interface FeedStart extends Reached {
  /** From where it is to be read. */
  readonly from: number;
  /** Up to here all messages have been told. */
  readonly position: number;
}

/** Whether an event was told before the feed went on. */
export function isBefore({ position, cursor }: FeedStart, event: FeedEvent): boolean {
  return event.kind === 'other' ? event.cursorTime <= cursor.iso : event.position <= position;
}

/** How far somebody is who has read an event, too. */
export function reachedBy(reached: Reached, event: FeedEvent): Reached {
  const { cursor, place } = reached;
  if (event.kind === 'other')
    return { cursor: { ...cursor, iso: latestOf(cursor.iso, event.cursorTime) }, place };
  if (!isBehind(event.place, place)) return reached;
  const { iso, messageId } = event.at;
  // Whatever has happened without a message and is told later has a later time than this one.
  return { cursor: { iso: latestOf(cursor.iso, iso), messageId }, place: event.place };
}

/** Where the feed goes on for whoever has read all up to a cursor; null: from now on. */
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
    const from = untold ? Math.min(position, untold.id - 1) : position;
    return { from, position, cursor, place };
  });
}

/** Reads a feed from a position on, at most `limit` entries of the database. Each event is told to a scope once. */
export async function readFeed(
  reading: Reading,
  scope: AgentScope,
  position: number,
  limit: number,
): Promise<FeedPage> {
  const stored = await eventsOfAgents(reading.store.db, scope, position, limit);
  const messages = await readMessages(reading, scope, stored);
  const events: FeedEvent[] = [];
  for (const event of stored) {
    const told = event.messageSeq === null ? otherEvent(event) : messages.get(event.messageSeq)?.(event);
    // A scope of several agents has several copies; they are stored one after the other.
    if (told && told.eventId !== events.at(-1)?.eventId) events.push(told);
  }
  return { events, position: stored.at(-1)?.id ?? position, isFull: stored.length === limit };
}

/** As it is told what is no message. */
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

/** Events of calls have no other id than their place. */
function idOf(position: number, eventId: unknown): string {
  return typeof eventId === 'string' ? eventId : `evt_${position}`;
}

/** How the events of each of these messages are told, by the message's seq; messages that are gone are left out. */
async function readMessages(
  reading: Reading,
  scope: AgentScope,
  events: readonly StoredEvent[],
): Promise<Map<number, (event: StoredEvent) => MessageEvent>> {
  const seqs = [...new Set(events.flatMap(({ messageSeq }) => messageSeq ?? []))];
  if (seqs.length === 0) return new Map();
  const { db } = reading.store;
  const messages = await listMessagesBySeq(db, seqs);
  const ids = [...new Set(messages.map(({ conversationId }) => conversationId))];
  const conversations = await listConversationsById(db, scope, ids);
  const seen = messages.filter(({ conversationId }) => conversations.has(conversationId));
  const shown = await viewMessages(reading, scope, conversations, seen);
  const peers = await peersOf(reading, scope, [...conversations.values()]);
  return new Map(
    seen.map((message, at) => {
      const { id: conversationId, platform } = conversations.get(message.conversationId)!;
      const told = { conversationId, platform, peer: peers.get(conversationId)!, message: shown[at]! };
      return [message.seq, (event: StoredEvent) => messageEvent(event, message, told)] as const;
    }),
  );
}

function messageEvent(
  { id, type, createdAt, payload }: StoredEvent,
  message: Message,
  told: Pick<MessageEvent, 'conversationId' | 'platform' | 'peer' | 'message'>,
): MessageEvent {
  const eventId = idOf(id, payload.event_id);
  const common = { position: id, eventId, type, createdAt };
  return { kind: 'message', ...common, place: message, at: cursorOf(message), ...told };
}

async function peersOf(
  reading: Reading,
  scope: AgentScope,
  conversations: readonly Conversation[],
): Promise<Map<string, Peer>> {
  const views = await viewConversations(reading, scope, conversations);
  return new Map(views.map(({ id, peer }) => [id, peer]));
}
