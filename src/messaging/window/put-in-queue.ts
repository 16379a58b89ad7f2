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

/** What may begin to wait: a message of today; or one that the platform gives back, perhaps after it took it. */
const NEW: readonly MessageStatus[] = ['sending', 'pending'];
const REFUSED: readonly MessageStatus[] = ['sending', 'delivered', 'unknown'];

/**
 * Makes a message wait, its place that of its age; `isRefused`: because the platform says that the window is closed.
 * Returns its conversation as it is then; undefined: it waits already or is over.
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

/** A refusal that comes late may be about a closure that their next message has ended. */
async function takeBack(trx: Db, message: Message): Promise<void> {
  await forgetPlatformMessageIds(trx, message.seq);
  const isOver = message.status === 'delivered' && (await haveWrittenSince(trx, message));
  if (!isOver) await closeWindow(trx, message.conversationId);
}
