import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import {
  type Conversation,
  type ConversationPage,
  findConversation,
  findNewestConversation,
  listConversations,
  type PeerName,
} from '../../store/messages/conversations.ts';
import { cursorText, newestOf } from '../../store/messages/cursor.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import { listMessages, listMessagesBySeq } from '../../store/messages/messages.ts';
import {
  type ConversationView,
  type MessageView,
  type Reading,
  viewConversations,
  viewMessages,
} from './inbox-view.ts';

/** A conversation and its newest message, null before the first one. */
export interface Preview {
  readonly conversation: ConversationView;
  readonly lastMessage: MessageView | null;
}

/** What was there when somebody looked; everything later is after `cursor`. */
export interface Snapshot {
  readonly previews: readonly Preview[];
  readonly cursor: string;
}

/** A conversation and a page of its messages, oldest first; everything later is after `cursor`. */
export interface History {
  readonly conversation: ConversationView;
  readonly messages: readonly MessageView[];
  readonly cursor: string;
}

/** A page of messages, counted from the newest. */
export interface MessagePage {
  readonly limit: number;
  readonly offset: number;
}

/** A scope's conversations, the one with the newest message first. */
export async function takeSnapshot(
  reading: Reading,
  scope: AgentScope,
  page: ConversationPage,
): Promise<Snapshot> {
  const { db } = reading.store;
  // First: a message that comes meanwhile is then told of twice, not never.
  const { cursor } = await newestOf(db, scope.accountId);
  const conversations = await listConversations(db, scope, page);
  const lastSeqs = conversations.map(({ lastSeq }) => lastSeq);
  const newest = await listMessagesBySeq(db, lastSeqs);
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const shown = await viewMessages(reading, scope, byId, newest);
  const lastMessages = new Map(newest.map(({ conversationId }, at) => [conversationId, shown[at]!]));
  const views = await viewConversations(reading, scope, conversations);
  const previews = views.map((conversation) => ({
    conversation,
    lastMessage: lastMessages.get(conversation.id) ?? null,
  }));
  return { previews, cursor: cursorText(cursor) };
}

/**
 * The conversation of a platform that somebody means, with its history: the one with this peer, else the one with the
 * newest message. Throws `no_conversation`.
 */
export async function readDetail(
  reading: Reading,
  scope: AgentScope,
  wanted: { readonly platform: MessagePlatform; readonly status: string | null } & PeerName,
  page: MessagePage,
): Promise<History> {
  const { platform, status } = wanted;
  const found = await findNewestConversation(reading.store.db, scope, { platform, peer: wanted }, status);
  if (!found) throw new GatewayError('no_conversation');
  return await readHistory(reading, scope, found, page);
}

/** Throws `conversation_not_found`. */
export async function readConversation(
  reading: Reading,
  scope: AgentScope,
  conversationId: string,
  page: MessagePage,
): Promise<History> {
  const found = await findConversation(reading.store.db, scope, conversationId);
  if (!found) throw new GatewayError('conversation_not_found');
  return await readHistory(reading, scope, found, page);
}

async function readHistory(
  reading: Reading,
  scope: AgentScope,
  conversation: Conversation,
  page: MessagePage,
): Promise<History> {
  const { db } = reading.store;
  const { cursor, position } = await newestOf(db, scope.accountId);
  const stored = await listMessages(db, conversation.id, page);
  // What came meanwhile is after the cursor, and not to be told twice.
  const before = stored.filter((message) => message.seq <= position.seq);
  const byId = new Map([[conversation.id, conversation]]);
  const messages = await viewMessages(reading, scope, byId, before);
  const [view] = await viewConversations(reading, scope, [conversation]);
  return { conversation: view!, messages, cursor: cursorText(cursor) };
}
