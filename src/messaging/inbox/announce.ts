import { newId } from '../../base/ids.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { appendCopies } from '../../store/messages/events.ts';
import type { Message } from '../../store/messages/messages.ts';

/** A feed event about a conversation. `payload` uses the API's field names. */
export interface Announcement {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  /** The message that the event announces. */
  readonly messageSeq?: number;
}

/**
 * Appends a `dm_chat` event to the feed of each agent in `agentIds`, by default of every agent that has the
 * conversation's platform account. Call it in the transaction that stores the message, and wake the waiting requests
 * after the commit. Only the message's identity is stored; its content is added when the feed is read.
 */
export async function announceMessage(
  db: Db,
  conversation: Conversation,
  message: Message,
  agentIds?: readonly string[],
): Promise<void> {
  const announcement = {
    type: 'dm_chat',
    payload: { platform: conversation.platform, message_id: message.id },
    createdAt: message.createdAt,
    messageSeq: message.seq,
  };
  await announce(db, conversation, announcement, agentIds);
}

/** Appends an event about a conversation to the feed of each of its agents. All copies share one `event_id`. */
export async function announce(
  db: Db,
  conversation: Conversation,
  { payload, ...event }: Announcement,
  agentIds?: readonly string[],
): Promise<void> {
  const { accountId, platform, id: conversationId } = conversation;
  const told = { event_id: newId('evt'), conversation_id: conversationId, ...payload };
  const to = agentIds ?? (await agentsOf(db, conversation));
  await appendCopies(db, { ...event, accountId, platform, payload: told }, to);
}

async function agentsOf(
  db: Db,
  { memberType, memberId, agentId, peerAgentId }: Conversation,
): Promise<string[]> {
  if (memberType !== null && memberId !== null)
    return await agentsOfMember(db, { type: memberType, id: memberId });
  return [agentId ?? [], peerAgentId ?? []].flat();
}

/** The final result of sending a message. `unknown`: it may have arrived. */
export type MessageEnd =
  | { readonly status: 'delivered' }
  | { readonly status: 'failed' | 'unknown' | 'dropped'; readonly error: string };

/**
 * Announces the result of sending a message to the agents: `dm_sent` or `dm_failed`. Call it in the transaction that
 * changes the message's status, and wake the waiting requests after the commit.
 */
export async function announceEnd(
  trx: Db,
  { id, conversationId }: Message,
  { status, ...why }: MessageEnd,
  createdAt: string,
): Promise<void> {
  const conversation = await findRow(trx, 'conversations', { id: conversationId });
  if (!conversation) return;
  const common = { platform: conversation.platform, message_id: id };
  const event =
    status === 'delivered'
      ? { type: 'dm_sent', payload: common }
      : { type: 'dm_failed', payload: { ...common, status, ...why } };
  await announce(trx, conversation, { ...event, createdAt });
}
