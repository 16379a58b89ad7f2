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
import { type OtherEvent, otherEvent } from './feed.ts';
import {
  type ConversationView,
  type MessageView,
  type Reading,
  viewConversations,
  viewMessages,
} from './inbox-view.ts';

/** What somebody asks who has read up to `cursor`. */
export interface DeltaQuestion {
  readonly scope: AgentScope;
  readonly cursor: Cursor;
  /** Of `cursor`. */
  readonly position: MessagePosition;
  /** Undefined: all platforms; `peer` and `task` count only with one. */
  readonly platform: MessagePlatform | undefined;
  readonly peer: PeerName;
  /** Of messages, not conversations, and of other events: what is left is after the cursor of the answer. */
  readonly limit: number;
}

/** The conversations with new messages, each with them, and the other events; oldest first. */
export interface Delta {
  readonly groups: readonly DeltaGroup[];
  readonly events: readonly OtherEvent[];
  readonly cursor: string;
  /** Whether there is, or may be, anything that the own agents did not write: what a waiting agent waits for. */
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
  /** Whether there are more. */
  readonly isCut: boolean;
}

/**
 * What is new. A reader who goes on from the cursor of each delta gets every message and every event in exactly one of
 * them, whatever is written meanwhile and whatever becomes of its conversation.
 */
export async function readDelta(reading: Reading, question: DeltaQuestion): Promise<Delta> {
  const { scope } = question;
  // First: what is stored after it is in the lists as well, or after their ends.
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

/** Up to which message everything is read. A cursor never goes back, not even one that is ahead of its time. */
function furthest({ cursor, position }: DeltaQuestion, newest: Newest, { last, isCut }: NewMessages): string {
  if (last && (isCut || isBehind(last, newest.position))) return last.id;
  return isBehind(newest.position, position) ? newest.cursor.messageId : cursor.messageId;
}

/** The events that tell of no message, and the time up to which all of them are told. */
async function readEvents(
  { store: { db } }: Reading,
  { scope, cursor, platform, peer, limit }: DeltaQuestion,
  newest: Newest,
  { last, isCut }: NewMessages,
): Promise<{ events: OtherEvent[]; iso: string }> {
  const after = cursor.iso;
  const end = isCut
    ? latestOf(after, last!.createdAt)
    : latestOf(after, newest.cursor.iso, last?.createdAt ?? '');
  if (peer.peer !== '' || peer.task !== '') {
    // These readers get no events, so that their cursor stays before those that there are.
    const eventTime = (await newestEventTime(db, scope.accountId)) ?? '';
    return { events: [], iso: eventTime > after ? after : end };
  }
  // With messages left out, events later than the last one shown are left out, too: a cursor has one time.
  const until = isCut ? end : null;
  const found = await otherEventsOfAgents(db, scope, { after, until, platform, limit: limit + 1 });
  const events = withoutCopies(found.slice(0, limit).map(otherEvent));
  const told = found.at(Math.min(found.length, limit) - 1)?.cursorTime ?? '';
  return { events, iso: found.length > limit ? told : latestOf(end, told) };
}

/** A scope of several agents has several copies of an event; they were stored one after the other. */
function withoutCopies(events: readonly OtherEvent[]): OtherEvent[] {
  return events.filter(({ eventId }, at) => eventId !== events[at - 1]?.eventId);
}

/** Null: nothing can be what was asked for. */
async function filterOf(
  { store }: Reading,
  { scope, platform, peer }: DeltaQuestion,
): Promise<MessageFilter | null> {
  if (platform === undefined || (peer.peer === '' && peer.task === '')) return { platform };
  const conversation = await findNewestConversation(store.db, scope, { platform, peer }, null);
  return conversation ? { conversationId: conversation.id } : null;
}

/** An agent does not wait for what it has written itself, nor for what the gateway wrote for it. */
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
  const views = await viewConversations(reading, scope, [...conversations.values()]);
  const viewOf = new Map(views.map((view) => [view.id, view]));
  const shown = await viewMessages(reading, scope, conversations, messages);
  const groups = new Map<string, { conversation: ConversationView; messages: MessageView[] }>();
  for (const [at, { conversationId }] of messages.entries()) {
    const conversation = viewOf.get(conversationId);
    // Deleted, or taken from the scope, since its messages were read.
    if (!conversation) continue;
    const group = groups.get(conversationId) ?? { conversation, messages: [] };
    group.messages.push(shown[at]!);
    groups.set(conversationId, group);
  }
  return [...groups.values()];
}
