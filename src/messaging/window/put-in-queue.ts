import type { Db } from '../../store/database/tables.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import type { MessageStatus } from '../../store/messages/message-tables.ts';
import { changeMessageStatus, type Message } from '../../store/messages/messages.ts';
import { findAnyMessage } from '../../store/messages/outbound-messages.ts';
import {
  closeWindow,
  forgetPlatformMessageIds,
  haveWrittenSince,
} from '../../store/messages/queued-messages.ts';
import type { QueueDomain } from './queue-domain.ts';

/**
 * Statuses from which a message can be queued: when it is new, or when the platform rejected it, possibly after
 * accepting it.
 */
const NEW: readonly MessageStatus[] = ['sending', 'pending'];
const REFUSED: readonly MessageStatus[] = ['sending', 'delivered', 'unknown'];

/**
 * Queues a message; its age determines its position. `isRefused`: the platform says that the window is closed. Returns
 * the updated conversation. Undefined: the message is already queued or finished.
 */
export async function putInQueue(
  { store, clock }: Pick<QueueDomain, 'store' | 'clock'>,
  messageId: string,
  { isRefused, expiresAt }: { readonly isRefused: boolean; readonly expiresAt: string },
): Promise<Conversation | undefined> {
  return await store.db.transaction().execute(async (trx) => {
    const message = await findAnyMessage(trx, messageId);
    if (!message) return undefined;
    const change = { status: 'pending', expiresAt: message.expiresAt ?? expiresAt } as const;
    const from = isRefused ? REFUSED : NEW;
    if (!(await changeMessageStatus(trx, message.seq, { from, change }, clock.nowIso()))) return undefined;
    if (isRefused) await takeBack(trx, message);
    return await findAnyConversation(trx, message.conversationId);
  });
}

/** A late rejection may refer to a closed window that the person's next message has since reopened. */
async function takeBack(trx: Db, message: Message): Promise<void> {
  await forgetPlatformMessageIds(trx, message.seq);
  const isOver = message.status === 'delivered' && (await haveWrittenSince(trx, message));
  if (!isOver) await closeWindow(trx, message.conversationId);
}
