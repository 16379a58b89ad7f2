import type { AgentScope } from '../base/scope.ts';
import { findNewestConversation, listConversationsById, type PeerName } from '../store/conversations.ts';
import { callEventsOfAgents } from '../store/events.ts';
import { type Message, type MessageFilter, type MessagePosition, messagesAfter } from '../store/messages.ts';
import type { MessagePlatform } from '../store/tables.ts';
import {
  type Cursor,
  callEventOf,
  cursorText,
  isBehind,
  type Newest,
  newestOf,
  type PlaceOfMessage,
  placeOf,
} from './cursor.ts';
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
  /** Messages, not conversations, and events of calls: what is left is after the cursor of the answer. */
  readonly limit: number;
}

/** The conversations with new messages, each with them, and what happened to calls; oldest first. */
export interface Delta {
  readonly groups: readonly DeltaGroup[];
  readonly callEvents: readonly OtherEvent[];
  readonly cursor: string;
  /** Whether there is, or may be, anything that the own agents did not write: what a waiting agent waits for. */
  readonly hasNews: boolean;
}

export interface DeltaGroup {
  readonly conversation: ConversationView;
  readonly messages: readonly MessageView[];
}

/**
 * What is new. Every message, and every event of a call, is in exactly one of the deltas that somebody gets who goes on
 * from each one's cursor, whatever is written meanwhile and whatever becomes of its conversation.
 */
export async function readDelta(reading: Reading, question: DeltaQuestion): Promise<Delta> {
  const { db } = reading.store;
  // First: what is stored after it is in the lists as well, or after their ends.
  const newest = await newestOf(db, question.scope.accountId, reading.clock.nowIso());
  const { groups, cursor, hasNews } = await readMessages(reading, question, newest);
  const calls = await readCallEvents(reading, question, newest.cursor.callEvent);
  return {
    groups,
    callEvents: calls.events,
    cursor: cursorText({ ...cursor, callEvent: calls.last }),
    hasNews: hasNews || calls.events.length > 0,
  };
}

async function readMessages(
  reading: Reading,
  question: DeltaQuestion,
  newest: Newest,
): Promise<Pick<Delta, 'groups' | 'hasNews'> & { cursor: PlaceOfMessage }> {
  const { scope, position, limit } = question;
  const filter = await filterOf(reading, question);
  const found =
    filter === null ? [] : await messagesAfter(reading.store.db, scope, position, filter, limit + 1);
  const messages = found.slice(0, limit);
  const last = messages.at(-1);
  const isCut = found.length > limit;
  return {
    groups: await groupsOf(reading, scope, messages),
    cursor: isCut ? placeOf(last!) : furthest(question, newest, last),
    hasNews: isCut || messages.some((message) => !isOwn(scope, message)),
  };
}

/** A cursor never goes back, not even one that is ahead of its time. */
function furthest(
  { cursor, position }: DeltaQuestion,
  newest: Newest,
  last: Message | undefined,
): PlaceOfMessage {
  if (last && isBehind(last, newest.position)) return placeOf(last);
  return isBehind(newest.position, position) ? newest.cursor : cursor;
}

/** What happened to calls up to the event `last`; `newest` is the account's last one, whomever it concerns. */
async function readCallEvents(
  { store: { db } }: Reading,
  { scope, cursor, position, platform, peer, limit }: DeltaQuestion,
  newest: number,
): Promise<{ events: OtherEvent[]; last: number }> {
  if (newest === 0) return { events: [], last: cursor.callEvent ?? 0 };
  const from = await callEventOf(db, scope.accountId, cursor, position);
  // A call is nobody's conversation: who asks for one peer is told of none, and has been told of none.
  if (peer.peer !== '' || peer.task !== '') return { events: [], last: from };
  const found = await callEventsOfAgents(db, scope, from, { platform, limit: limit + 1 });
  const events = found.slice(0, limit).map(otherEvent);
  const told = events.at(-1)?.position ?? 0;
  return { events, last: found.length > limit ? told : Math.max(from, newest, told) };
}

/** Null: nothing can be what was asked for. */
async function filterOf(
  { store }: Reading,
  { scope, platform, peer }: DeltaQuestion,
): Promise<MessageFilter | null> {
  if (platform === undefined || (peer.peer === '' && peer.task === '')) return { platform };
  const conversation = await findNewestConversation(store.db, scope, platform, peer, null);
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
