import type { Address } from '../../base/address.ts';

/** How often a platform takes what is still being written. */
export interface LivePace {
  /** Requests of a login in a second, with the whole messages that follow. What else it sends needs room beside them. */
  readonly perSecond: number;
  /** How many of them may be for messages of which people see the beginning: others must not wait for those. */
  readonly updates: number;
  /** Between two requests of one conversation, in milliseconds. The whole message does not wait for it. */
  readonly everyMs: number;
}

/** A message that is still being written. */
export interface LiveMessage {
  readonly to: Address;
  /** The same for all requests of the message, also of the next process. */
  readonly key: string;
  /** The platform's id of the message; null before the first request, or where it is a draft. */
  readonly shownId: string | null;
  /** In Markdown, as far as it is written, with the ends of what is open. */
  readonly text: string;
}

export type LiveOutcome =
  | { readonly kind: 'shown'; readonly shownId: string | null }
  /** Nothing is shown for now: further requests of the login wait for `afterMs`. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** The rest of this message is not shown before it is whole. */
  | { readonly kind: 'refused' };

/** A platform on which people see a message while it is being written. */
export interface ShowsWriting {
  readonly pace: LivePace;
  /**
   * `draft`: what is shown is no message, and goes by itself. `message`: it is one from the first request on, and becomes the
   * whole one when that is sent with its id as `shownId`. Only for a platform that shows one message however often a first
   * request with the same key is made: its answer may never arrive.
   */
  readonly kind: 'draft' | 'message';
  /** Whether messages to there can be seen while they are written. */
  shows(to: Address): boolean;
  /** Shows what is written so far. Never rejects. */
  show(message: LiveMessage, signal: AbortSignal): Promise<LiveOutcome>;
  /** Takes a message away that will not be whole. Best effort; never rejects. */
  remove(to: Address, shownId: string, signal: AbortSignal): Promise<void>;
}
