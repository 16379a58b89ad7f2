import { findAnyConversation } from '../../store/messages/conversations.ts';
import { endWaiting, listUntold } from '../../store/messages/queued-messages.ts';
import { announce, announceMessage } from '../inbox/announce.ts';
import type { QueueDomain } from '../window/queue-domain.ts';

/**
 * Tells agents which queued messages have been sent since the last report, and then what the other side wrote
 * meanwhile: one `dm_delivered` event, then a `dm_chat` event per reply, in one transaction.
 */
export async function tellDelivered(
  { store, clock, wakeups }: QueueDomain,
  conversationId: string,
): Promise<void> {
  const accountId = await store.db.transaction().execute(async (trx) => {
    const conversation = await findAnyConversation(trx, conversationId);
    if (!conversation) return null;
    const { delivered, replies } = await listUntold(trx, conversationId);
    await endWaiting(trx, conversationId, [...delivered, ...replies]);
    if (delivered.length > 0) {
      const payload = { platform: conversation.platform, delivered_ids: delivered.map(({ id }) => id) };
      await announce(trx, conversation, { type: 'dm_delivered', payload, createdAt: clock.nowIso() });
    }
    for (const reply of replies) await announceMessage(trx, conversation, reply);
    return delivered.length + replies.length > 0 ? conversation.accountId : null;
  });
  if (accountId !== null) wakeups.wake(accountId);
}
