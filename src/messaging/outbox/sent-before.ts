import { unreachable } from '../../base/assert.ts';
import { subjectOf } from '../../store/keys/idempotent-requests.ts';
import { countPending, findMessage, type Message } from '../../store/messages/messages.ts';
import type { SentDm } from './dm.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { sentOf, stillSending } from './sent-dm.ts';

/**
 * Returns the result of the message that this request created before the gateway crashed. Null: it created none. Throws
 * `send_failed`.
 */
export async function sentBefore(
  { store: { db } }: OutboundDomain,
  { scope, request }: Writer,
): Promise<SentDm | null> {
  const messageId = request && (await subjectOf(db, request));
  const message = messageId ? await findMessage(db, scope.accountId, messageId) : undefined;
  if (!message) return null;
  const isPending = message.status === 'pending';
  const waiting = isPending ? await countPending(db, [message.conversationId]) : null;
  return becameOf(message, waiting?.get(message.conversationId) ?? 1);
}

function becameOf({ id, status, error }: Message, position: number): SentDm {
  switch (status) {
    case 'received':
    case 'delivered':
      return sentOf(id, { kind: 'delivered' });
    case 'sending':
      return stillSending(id);
    case 'pending':
      return sentOf(id, { kind: 'waits', templateSent: false, position });
    case 'dropped':
      return sentOf(id, { kind: 'failed', reason: 'The recipient did not reply in time' });
    case 'failed':
    case 'unknown':
      return sentOf(id, { kind: status, reason: error ?? 'The reason is unknown' });
    default:
      return unreachable(status);
  }
}
