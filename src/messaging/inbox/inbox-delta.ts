import type { AgentScope } from '../../base/scope.ts';
import { latestOf } from '../../base/time.ts';
import {
  findNewestConversation,
  listConversationsById,
  type PeerName,
} from '../../store/messages/conversations.ts';
import { type Cursor, cursorText, isBehind, type Newest, newestOf } from '../../store/messages/cursor.ts';
import { newestEventTime, otherEventsOfAgents } from '../../store/messages/events.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import {
  type Message,
  type MessageFilter,
  type MessagePosition,
  messagesAfter,
} from '../../store/messages/messages.ts';
import { withAttachments } from './event-files.ts';
import { type OtherEvent, otherEvent } from './feed.ts';
import { type ConversationView, type MessageView, type Reading, viewAll } from './inbox-view.ts';

/** A request for everything new since `cursor`. */
export interface DeltaQuestion {
  readonly scope: AgentScope;
  readonly cursor: Cursor;
  /** Position of `cursor` among messages. */
  readonly position: MessagePosition;
  /** Undefined: all platforms. `peer` and `task` only apply together with a platform. */
  readonly platform: MessagePlatform | undefined;
  readonly peer: PeerName;
  /**
   * Applies to messages (not conversations) and, separately, to other events. The rest follows after the returned
   * cursor.
   */
  readonly limit: number;
}

/** Conversations with their new messages, and other events; oldest first. */
export interface Delta {
  readonly groups: readonly DeltaGroup[];
  readonly events: readonly OtherEvent[];
  readonly cursor: string;
  /**
   * Whether anything is new that the scope's own agents did not write. This is what ends a long-poll. May be true
   * without such news when the page was cut.
   */
  readonly hasNews: boolean;
}

export interface DeltaGroup {
  readonly conversation: ConversationView;
  readonly messages: readonly MessageView[];
}

/** New messages up to a limit. */
interface NewMessages {
  readonly messages: readonly Message[];
  readonly last: Message | undefined;
  /** Whether more messages follow. */
  readonly isCut: boolean;
}

/**
 * Returns what is new since the cursor. Following the cursor delivers every message and every event exactly once,
 * whatever is written meanwhile and whatever happens to its conversation.
 */
export async function readDelta(reading: Reading, question: DeltaQuestion): Promise<Delta> {
  const { scope } = question;
  // Read first: anything stored afterwards is either in the lists below or after their end.
  const newest = await newestOf(reading.store.db, scope.accountId);
  const found = await readMessages(reading, question);
  const { events, iso } = await readEvents(reading, question, newest, found);
  const messageId = furthest(question, newest, found);
  return {
    groups: await groupsOf(reading, scope, found.messages),
    events,
    cursor: cursorText({ iso, messageId }),
    hasNews: found.isCut || events.length > 0 || found.messages.some((message) => !isOwn(scope, message)),
  };
}

async function readMessages(reading: Reading, question: DeltaQuestion): Promise<NewMessages> {
  const { scope, position, limit } = question;
  const filter = await filterOf(reading, question);
  const found =
    filter === null
      ? []
      : await messagesAfter(reading.store.db, scope, { position, filter, limit: limit + 1 });
  const messages = found.slice(0, limit);
  return { messages, last: messages.at(-1), isCut: found.length > limit };
}

/** Returns the last message that has been read. A cursor never moves back, not even one ahead of the newest message. */
function furthest({ cursor, position }: DeltaQuestion, newest: Newest, { last, isCut }: NewMessages): string {
  if (last && (isCut || isBehind(last, newest.position))) return last.id;
  return isBehind(newest.position, position) ? newest.cursor.messageId : cursor.messageId;
}

/** Returns the events that are not messages, and the time up to which all of them are included. */
async function readEvents(
  reading: Reading,
  { scope, cursor, platform, peer, limit }: DeltaQuestion,
  newest: Newest,
  { last, isCut }: NewMessages,
): Promise<{ events: OtherEvent[]; iso: string }> {
  const { db } = reading.store;
  const after = cursor.iso;
  const end = isCut
    ? latestOf(after, last!.createdAt)
    : latestOf(after, newest.cursor.iso, last?.createdAt ?? '');
  if (peer.peer !== '' || peer.task !== '') {
    // Readers that filter by peer or task get no events, so their cursor stays before the existing ones.
    const eventTime = (await newestEventTime(db, scope.accountId)) ?? '';
    return { events: [], iso: eventTime > after ? after : end };
  }
  // When messages are cut, later events are cut too: a cursor holds a single time.
  const until = isCut ? end : null;
  const found = await otherEventsOfAgents(db, scope, { after, until, platform, limit: limit + 1 });
  const shown = await withAttachments(reading, found.slice(0, limit));
  const events = withoutCopies(shown.map(otherEvent));
  const told = found.at(Math.min(found.length, limit) - 1)?.cursorTime ?? '';
  return { events, iso: found.length > limit ? told : latestOf(end, told) };
}

/** A scope with several agents has one copy of an event per agent; copies are stored consecutively. */
function withoutCopies(events: readonly OtherEvent[]): OtherEvent[] {
  return events.filter(({ eventId }, at) => eventId !== events[at - 1]?.eventId);
}

/** Null: nothing can match the question. */
async function filterOf(
  { store }: Reading,
  { scope, platform, peer }: DeltaQuestion,
): Promise<MessageFilter | null> {
  if (platform === undefined || (peer.peer === '' && peer.task === '')) return { platform };
  const conversation = await findNewestConversation(store.db, scope, { platform, peer }, null);
  return conversation ? { conversationId: conversation.id } : null;
}

/** Messages written by the scope's own agents, or by the gateway for them, are no news. */
function isOwn({ agentIds }: AgentScope, { direction, senderAgentId }: Message): boolean {
  return direction === 'outbound' && (senderAgentId === null || agentIds.includes(senderAgentId));
}

async function groupsOf(
  reading: Reading,
  scope: AgentScope,
  messages: readonly Message[],
): Promise<DeltaGroup[]> {
  if (messages.length === 0) return [];
  const ids = [...new Set(messages.map(({ conversationId }) => conversationId))];
  const conversations = await listConversationsById(reading.store.db, scope, ids);
  const shown = await viewAll(reading, scope, [...conversations.values()], messages);
  const groups = new Map<string, { conversation: ConversationView; messages: MessageView[] }>();
  for (const [at, { conversationId }] of messages.entries()) {
    const conversation = shown.conversations.get(conversationId);
    // Deleted, or removed from the scope, since its messages were read.
    if (!conversation) continue;
    const group = groups.get(conversationId) ?? { conversation, messages: [] };
    group.messages.push(shown.messages[at]!);
    groups.set(conversationId, group);
  }
  return [...groups.values()];
}
