import { findAnyConversation } from '../store/conversations.ts';
import { endWaiting, listUntold } from '../store/waiting-messages.ts';
import type { QueueDomain } from './queue-domain.ts';

/**
 * Tells agents which messages that waited have gone out since they were last told, and then what the other side wrote
 * meanwhile: `dm_delivered`, then each reply as `dm_chat`, in one transaction.
 */
export async function tellDelivered(domain: QueueDomain, conversationId: string): Promise<void> {
  const accountId = await domain.db.transaction().execute(async (trx) => {
    const conversation = await findAnyConversation(trx, conversationId);
    if (!conversation) return null;
    const { delivered, replies } = await listUntold(trx, conversationId);
    await endWaiting(trx, conversationId, [...delivered, ...replies]);
    if (delivered.length > 0) {
      await domain.announce(trx, conversation, 'dm_delivered', {
        delivered_ids: delivered.map(({ id }) => id),
      });
    }
    for (const reply of replies) await domain.announceMessage(trx, conversation, reply);
    return delivered.length + replies.length > 0 ? conversation.accountId : null;
  });
  if (accountId !== null) domain.wake(accountId);
}
