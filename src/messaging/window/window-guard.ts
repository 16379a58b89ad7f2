import type { Db } from '../../store/database/tables.ts';
import type { Conversation } from '../../store/messages/conversations.ts';

/** What became of a message that had to wait until the other side writes. */
export type Waited =
  /** The other side had just written: it is out already. */
  | { readonly delivered: true }
  | {
      readonly delivered: false;
      /** Whether this message made the gateway ask the other side to write. */
      readonly templateSent: boolean;
      /** Its place among those that wait in its conversation; the first is 1. */
      readonly position: number;
    };

/** Keeps messages back where a platform lets one write only to people who wrote lately (HasWindow). */
export interface WindowGuard {
  /**
   * Whether a message to this conversation must wait; asked in the transaction that stores it. False on platforms
   * without a window. Throws `too_many_messages`.
   */
  mustWait(db: Db, conversation: Conversation): Promise<boolean>;
  /** Until when a message waits that begins to wait now. */
  expiry(): string;
  /** Takes in a stored message, `sending` or `pending`. */
  joined(messageId: string): Promise<Waited>;
  /** Takes back a message that the platform refused because of its window. */
  cameBack(messageId: string): Promise<Waited>;
}
