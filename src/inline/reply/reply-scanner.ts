import type { PlacedAction } from './action.ts';
import { ActionBuilder, type OutsideText, type ReplyEnd, type ScannedReply } from './action-builder.ts';
import { LONGEST_REPLY, ReplyReader } from './reply-reader.ts';

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
  readonly #builder: ActionBuilder;
  readonly #reader: ReplyReader;

  /** `onAction` must not throw. */
  constructor(outsideText: OutsideText, onAction: (placed: PlacedAction) => void) {
    this.#builder = new ActionBuilder(outsideText, onAction);
    this.#reader = new ReplyReader(this.#builder);
  }

  /** Reads the next part. What makes the reply longer than 65,536 characters is not read. */
  push(part: string): void {
    this.#reader.push(part);
  }

  /** Reads what was held back. To be called once. */
  end(end: ReplyEnd): ScannedReply {
    const { isTooLong } = this.#reader.end();
    if (isTooLong) this.#builder.fault(`only its first ${LONGEST_REPLY} characters are read`);
    return this.#builder.end(isTooLong && end === 'complete' ? 'cut_off' : end);
  }
}

/** Reads a reply that is there as a whole, with the same result. */
export function parseReply(text: string, outsideText: OutsideText, end: ReplyEnd): ScannedReply {
  const scanner = new ReplyScanner(outsideText, () => {});
  scanner.push(text);
  return scanner.end(end);
}
