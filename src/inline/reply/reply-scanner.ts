import type { PlacedAction } from './action.ts';
import { ActionBuilder, type OutsideText, type ReplyEnd, type ScannedReply } from './action-builder.ts';
import { ReplyLexer } from './reply-lexer.ts';
import { LONGEST_TAG, TAG_NAMES } from './tags.ts';

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
  readonly #builder: ActionBuilder;
  readonly #lexer: ReplyLexer;
  readonly #fence = new WholeFence();
  #length = 0;

  /** `onAction` must not throw. */
  constructor(outsideText: OutsideText, onAction: (placed: PlacedAction) => void) {
    this.#builder = new ActionBuilder(outsideText, onAction);
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

/** A fence whose first content is one of our tags. Models like to wrap a whole answer in ```xml. */
const WRAPPED = new RegExp(
  `^\\s*(\`{3,})(?:xml|html)?[ \\t]*\\r?\\n\\s*<(?:${TAG_NAMES.join('|')})[\\s/>]`,
  'i',
);
/** What may become that when more text follows. */
const OPENING = /^\s*(?:`{1,2}|`{3,}[a-z]*[ \t]*(?:\r?\n\s*(?:<[a-z_]*)?|\r)?)?$/i;

/**
 * Takes the fence off a reply that is one block of code with tags in it. A block whose first content is something else
 * is an answer with code and stays one. Whether anything follows the block is known at the end, so such a reply is held
 * back as a whole.
 */
class WholeFence {
  #held: string | null = '';
  #isWrapped = false;

  /** Returns the text that can be read now. */
  push(text: string): string {
    if (this.#held === null) return text;
    this.#held += text;
    this.#isWrapped ||= WRAPPED.test(this.#held.slice(0, LONGEST_TAG));
    if (this.#isWrapped || (this.#held.length < LONGEST_TAG && OPENING.test(this.#held))) return '';
    return this.#release();
  }

  /** Returns the rest at the end of the reply. */
  end(): string {
    const text = this.#release();
    return this.#isWrapped ? (withoutFence(text) ?? text) : text;
  }

  #release(): string {
    const held = this.#held ?? '';
    this.#held = null;
    return held;
  }
}

/** The content of a block that ends with the text; null: something follows it. A block may lack its end. */
function withoutFence(text: string): string | null {
  const [mark] = /`+/.exec(text)!;
  const content = text.slice(text.indexOf('\n', text.indexOf(mark)) + 1);
  const end = new RegExp(`^[ \\t]*${mark}\`*[ \\t]*\\r?$`, 'm').exec(content);
  if (end === null) return content;
  return content.slice(end.index + end[0].length).trim() === '' ? content.slice(0, end.index) : null;
}
