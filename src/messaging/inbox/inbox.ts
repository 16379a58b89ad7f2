import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import { listRows } from '../../store/database/rows.ts';
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
import { listMessages } from '../../store/messages/messages.ts';
import { type ConversationView, type MessageView, type Reading, viewAll } from './inbox-view.ts';

/** A conversation and its newest message. Null before the first message. */
export interface Preview {
  readonly conversation: ConversationView;
  readonly lastMessage: MessageView | null;
}

/** A scope's conversations at one point in time. Everything later is after `cursor`. */
export interface Snapshot {
  readonly previews: readonly Preview[];
  readonly cursor: string;
}

/** A conversation and a page of its messages, oldest first. Everything later is after `cursor`. */
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

/** Returns a scope's conversations, the one with the newest message first. */
export async function takeSnapshot(
  reading: Reading,
  scope: AgentScope,
  page: ConversationPage,
): Promise<Snapshot> {
  const { db } = reading.store;
  // Read first: a message that arrives meanwhile is then reported twice instead of never.
  const { cursor } = await newestOf(db, scope.accountId);
  const conversations = await listConversations(db, scope, page);
  const lastSeqs = conversations.map(({ lastSeq }) => lastSeq);
  const newest = await listRows(db, 'messages', { seq: lastSeqs }, ['seq']);
  const shown = await viewAll(reading, scope, conversations, newest);
  const lastMessages = new Map(newest.map(({ conversationId }, at) => [conversationId, shown.messages[at]!]));
  const previews = Array.from(shown.conversations.values(), (conversation) => ({
    conversation,
    lastMessage: lastMessages.get(conversation.id) ?? null,
  }));
  return { previews, cursor: cursorText(cursor) };
}

/**
 * Returns the conversation with the given peer on a platform, or else the one with the newest message, with its
 * history. Throws `no_conversation` when there is none.
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

/** Returns a conversation with its history. Throws `conversation_not_found`. */
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
  // Messages that arrived meanwhile are after the cursor and must not be reported twice.
  const before = stored.filter((message) => message.seq <= position.seq);
  const { conversations, messages } = await viewAll(reading, scope, [conversation], before);
  return { conversation: conversations.get(conversation.id)!, messages, cursor: cursorText(cursor) };
}
