import type { Address } from '../../base/address.ts';
import type { Pace } from '../../base/request-pace.ts';

/** How often a platform takes what is still being written: requests of a login, with the whole messages that follow. */
export interface LivePace extends Pace {
  /** How many of them may be for messages of which people see the beginning: others must not wait for those. */
  readonly updates: number;
  /** Between two requests of one conversation, in milliseconds. The whole message does not wait for it. */
  readonly everyMs: number;
  /** How many of them may be edits: every message that is shown needs one, to become whole. Absent: any number. */
  readonly mostEdits?: number;
}

/** A message that is still being written. */
export interface LiveMessage {
  readonly to: Address;
  /** The same for all requests of the message, also of the next process. */
  readonly key: string;
  /** The platform's id of the message; null before the first request, or where it is a draft. */
  readonly shownId: string | null;
  /** When a first request was made whose answer is not known; null: none was. */
  readonly unclearSince: string | null;
  /** In Markdown, as far as it is written, with the ends of what is open. */
  readonly text: string;
}

export type LiveOutcome =
  /** `isHint`: not as a message yet, so the same text is to be shown again. */
  | { readonly kind: 'shown'; readonly shownId: string | null; readonly isHint?: true }
  /** Nothing is shown for now: further requests of the login wait for `afterMs`. `isUnclear`: it may be shown all the same. */
  | { readonly kind: 'later'; readonly afterMs: number; readonly isUnclear: boolean }
  /** The rest of this message is not shown before it is whole. */
  | { readonly kind: 'refused' };

/** A platform on which people see a message while it is being written. */
export interface ShowsWriting {
  readonly pace: LivePace;
  /**
   * `draft`: what is shown is no message, and goes by itself. `message`: it is one from the first request on, and becomes the
   * whole one when that is sent with its id as `shownId`. Only for a platform that has nonces, or can find a message by its
   * key: the answer to the first request may never arrive.
   */
  readonly kind: 'draft' | 'message';
  /** Each text must begin with the one before, and only the process that has begun a message can go on with it. */
  readonly grows?: true;
  /** Whether messages to there can be seen while they are written. */
  shows(to: Address): boolean;
  /** Shows what is written so far. Never rejects. */
  show(message: LiveMessage, signal: AbortSignal): Promise<LiveOutcome>;
  /** Takes a message away that will not be whole. Best effort; never rejects. */
  remove(to: Address, shownId: string, signal: AbortSignal): Promise<void>;
}
