import { unreachable } from '../../base/assert.ts';
import { MAY_HAVE_ARRIVED, sendFailed } from '../../base/errors.ts';
import { findRow, listRows } from '../../store/database/rows.ts';
import type { Message } from '../../store/messages/messages.ts';
import { countPending } from '../../store/messages/outbound-messages.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import type { Settled } from './outbox.ts';

/** The result of a direct message that was accepted. `messageIds`: those of its parts, mostly one. */
export type SentDm =
  | { readonly kind: 'delivered'; readonly messageIds: readonly string[] }
  /** It is being sent to the platform. */
  | { readonly kind: 'still_sending'; readonly messageIds: readonly string[] }
  /** The other side must write first. */
  | {
      readonly kind: 'queued';
      readonly messageIds: readonly string[];
      readonly templateSent: boolean;
      /** Why the platform did not take the template; absent: it did, or was not asked. */
      readonly templateError?: string;
      readonly position: number;
    };

/** Converts the results of a message's parts for its sender. Throws `send_failed`. */
export function sentOf(messageIds: readonly string[], results: readonly Settled[]): SentDm {
  const at = results.findIndex(({ kind }) => kind !== 'delivered');
  const first = results[at];
  if (first === undefined) return { kind: 'delivered', messageIds };
  const part = results.length === 1 ? '' : `part ${at + 1} of ${results.length}: `;
  switch (first.kind) {
    case 'waits':
      return { ...first, kind: 'queued', messageIds };
    case 'failed':
      throw sendFailed(`${part}${first.reason}`);
    case 'unknown':
      throw sendFailed(`${part}${first.reason}; ${MAY_HAVE_ARRIVED}`);
    case 'left':
    case 'delivered':
      return stillSending(messageIds);
    default:
      return unreachable(first);
  }
}

/** The message is sent in the background; an event reports the result of each part. */
export function stillSending(messageIds: readonly string[]): SentDm {
  return { kind: 'still_sending', messageIds };
}

/**
 * Returns the result of the message that this request created before the gateway crashed. Null: it created none. Throws
 * `send_failed`.
 */
export async function sentBefore(
  { store: { db } }: OutboundDomain,
  { scope: { accountId }, request }: Writer,
): Promise<SentDm | null> {
  const messageId = await request?.written(db);
  if (!messageId) return null;
  const message = await findRow(db, 'messages', { accountId, id: messageId });
  if (!message) throw sendFailed(`The message was deleted meanwhile; ${MAY_HAVE_ARRIVED}`);
  const parts = [message, ...(await listRows(db, 'messages', { partOf: messageId }, ['seq']))];
  const waiting = await countPending(db, [message.conversationId]);
  const position = waiting.get(message.conversationId) ?? 1;
  return sentOf(
    parts.map(({ id }) => id),
    parts.map((part) => becameOf(part, position)),
  );
}

function becameOf({ status, error }: Message, position: number): Settled {
  switch (status) {
    case 'received':
    case 'delivered':
      return { kind: 'delivered' };
    case 'sending':
      return { kind: 'left' };
    case 'pending':
      return { kind: 'waits', templateSent: false, position };
    case 'dropped':
      return { kind: 'failed', reason: 'The recipient did not reply in time' };
    case 'failed':
    case 'unknown':
      return { kind: status, reason: error ?? 'The reason is unknown' };
    default:
      return unreachable(status);
  }
}
