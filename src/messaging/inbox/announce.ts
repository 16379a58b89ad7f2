import { newId } from '../../base/ids.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import type { Db } from '../../store/database/tables.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { appendCopies } from '../../store/messages/events.ts';
import type { Message } from '../../store/messages/messages.ts';

/** What the feed tells of a conversation; `payload` in the words of the API. */
export interface Announcement {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  /** The message that it tells of. */
  readonly messageSeq?: number;
}

/**
 * Puts a `dm_chat` event on the feed of every agent that a message is for: those given, else all that have the
 * conversation's platform account. Run it in the transaction that stores the message, and wake who waits after it.
 * Only what identifies the message is stored: the rest is put in when the feed is read.
 */
export async function announceMessage(
  db: Db,
  conversation: Conversation,
  message: Message,
  agentIds?: readonly string[],
): Promise<void> {
  const payload = { platform: conversation.platform, message_id: message.id };
  const announcement = {
    type: 'dm_chat',
    payload,
    createdAt: message.createdAt,
    messageSeq: message.seq,
  };
  await announce(db, conversation, announcement, agentIds);
}

/** Puts an event about a conversation on the feed of each of its agents, as one event: all copies have one `event_id`. */
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
