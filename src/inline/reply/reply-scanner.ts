import type { PlacedAction, ReplyFault } from './action.ts';
import { ActionBuilder, type OutsideText, type ReplyEnd } from './action-builder.ts';
import { ActionList } from './action-list.ts';
import { ReplyLexer } from './reply-lexer.ts';
import { WholeFence } from './whole-fence.ts';

/** A reply as a whole. */
export interface ScannedReply {
  /** In order of their indices. Contains those that were told before. */
  readonly actions: readonly PlacedAction[];
  readonly faults: readonly ReplyFault[];
}

/** Maximum length of a reply, in UTF-16 units. */
const LONGEST_REPLY = 65_536;

/**
 * Turns a model's reply into actions while it arrives. The parts that it arrives in make no difference.
 *
 * Indices follow the reply, except that `leave` is always last; numbers may be missing. A sentence is told as soon as it
 * is complete, and most other actions as soon as their tag is closed. Some are told at the end, because what follows
 * changes them: a refusal outweighs accepting, and a `<write>` replaces text outside tags. Spoken text outside tags has
 * been heard by then, so a `<write>` makes no difference to it.
 *
 * A tag that is open at a complete end is closed there. At any other end it is dropped, except for its sentences that
 * were told. Text outside tags that is to be written counts if the reply was cut off, but not if it was interrupted;
 * the same goes for `leave`.
 */
export class ReplyScanner {
  readonly #list: ActionList;
  readonly #builder: ActionBuilder;
  readonly #lexer: ReplyLexer;
  readonly #fence = new WholeFence();
  #length = 0;

  /** `onAction` must not throw. */
  constructor(outsideText: OutsideText, onAction: (placed: PlacedAction) => void) {
    this.#list = new ActionList(onAction);
    this.#builder = new ActionBuilder(outsideText, this.#list);
    this.#lexer = new ReplyLexer(this.#builder);
  }

  /** Reads the next part. What makes the reply longer than 65,536 characters is not read. */
  push(part: string): void {
    const room = Math.max(0, LONGEST_REPLY - this.#length);
    this.#length += part.length;
    this.#lexer.push(this.#fence.push(part.slice(0, room)));
  }

  /** Reads what was held back. To be called once. */
  end(end: ReplyEnd): ScannedReply {
    this.#lexer.push(this.#fence.end());
    this.#lexer.end();
    const isTooLong = this.#length > LONGEST_REPLY;
    if (isTooLong) this.#list.fault('reply', `only its first ${LONGEST_REPLY} characters are read`);
    this.#builder.end(isTooLong && end === 'complete' ? 'cut_off' : end);
    return { actions: this.#list.actions, faults: this.#list.faults };
  }
}

/** Reads a reply that is there as a whole, with the same result. */
export function parseReply(text: string, outsideText: OutsideText, end: ReplyEnd): ScannedReply {
  const scanner = new ReplyScanner(outsideText, () => {});
  scanner.push(text);
  return scanner.end(end);
}
