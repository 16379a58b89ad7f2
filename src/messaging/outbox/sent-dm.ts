import { unreachable } from '../../base/assert.ts';
import { MAY_HAVE_ARRIVED, sendFailed } from '../../base/errors.ts';
import { match } from '../../base/match.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Message } from '../../store/messages/messages.ts';
import { countPending } from '../../store/messages/outbound-messages.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import type { Settled } from './outbox.ts';

/** The result of a direct message that was accepted. */
export type SentDm =
  | { readonly kind: 'delivered'; readonly messageId: string }
  /** It is being sent to the platform. */
  | { readonly kind: 'still_sending'; readonly messageId: string }
  /** The other side must write first. */
  | {
      readonly kind: 'queued';
      readonly messageId: string;
      readonly templateSent: boolean;
      /** Why the platform did not take the template; absent: it did, or was not asked. */
      readonly templateError?: string;
      readonly position: number;
    };

/** Converts a message's result for its sender. Throws `send_failed`. */
export function sentOf(messageId: string, settled: Settled): SentDm {
  return match(settled, 'kind', {
    delivered: () => ({ kind: 'delivered', messageId }),
    waits: (settled) => ({ ...settled, kind: 'queued', messageId }),
    failed: (settled) => {
      throw sendFailed(settled.reason);
    },
    unknown: (settled) => {
      throw sendFailed(`${settled.reason}; ${MAY_HAVE_ARRIVED}`);
    },
    left: () => stillSending(messageId),
  });
}

/** The message is sent in the background; an event reports the result. */
export function stillSending(messageId: string): SentDm {
  return { kind: 'still_sending', messageId };
}

/**
 * Returns the result of the message that this request created before the gateway crashed. Null: it created none. Throws
 * `send_failed`.
 */
export async function sentBefore(
  { store: { db } }: OutboundDomain,
  { scope, request }: Writer,
): Promise<SentDm | null> {
  const messageId = await request?.written(db);
  if (!messageId) return null;
  const message = await findRow(db, 'messages', { accountId: scope.accountId, id: messageId });
  if (!message) throw sendFailed(`The message was deleted meanwhile; ${MAY_HAVE_ARRIVED}`);
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
