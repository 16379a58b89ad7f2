import { isoAfter } from '../../base/time.ts';
import type { Db } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';

/** The result of a message that had to wait until the other side writes. */
export type Waited =
  /** The other side had just written: the message has already been sent. */
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'waits';
      /** Whether this message made the gateway send the template. */
      readonly templateSent: boolean;
      /** Why the platform did not take the template, in its own words. Absent: it did, or was not asked. */
      readonly templateError?: string;
      /** Position in the conversation's queue, starting at 1. */
      readonly position: number;
    };

/** Holds messages back on platforms that only allow writing to people who wrote recently (HasWindow). */
export interface WindowGuard {
  /**
   * Returns whether a message to this conversation must wait. Call it in the transaction that stores the message. False
   * on platforms without a window. Throws `too_many_messages`.
   */
  mustWait(db: Db, conversation: Conversation): Promise<boolean>;
  /** Returns the expiry of a message queued now. */
  expiry(): string;
  /** Queues a stored message that is `sending` or `pending`. */
  joined(messageId: string): Promise<Waited>;
  /** Requeues a message that the platform rejected because of its window. */
  cameBack(messageId: string): Promise<Waited>;
}

/**
 * Returns whether a person can be written to on a platform with a service window. The window runs from the platform's
 * timestamp of their last message, unless the platform has since reported it closed.
 */
export function isWindowOpen(
  { closure, lastInboundAt }: Pick<Conversation, 'closure' | 'lastInboundAt'>,
  nowIso: string,
  windowMs: number,
): boolean {
  return closure === null && lastInboundAt !== null && nowIso < isoAfter(lastInboundAt, windowMs);
}
