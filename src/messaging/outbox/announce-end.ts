import type { Db } from '../../store/database/tables.ts';
import { findAnyConversation } from '../../store/messages/conversations.ts';
import type { Message } from '../../store/messages/messages.ts';
import { announce } from '../inbox/announce.ts';

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
  end: MessageEnd,
  createdAt: string,
): Promise<void> {
  const conversation = await findAnyConversation(trx, conversationId);
  if (!conversation) return;
  const { status, ...why } = end;
  const common = { platform: conversation.platform, message_id: id };
  const event =
    status === 'delivered'
      ? { type: 'dm_sent', payload: common }
      : { type: 'dm_failed', payload: { ...common, status, ...why } };
  await announce(trx, conversation, { ...event, createdAt });
}
