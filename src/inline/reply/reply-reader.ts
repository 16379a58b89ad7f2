import { ReplyLexer, type ReplyParts } from './reply-lexer.ts';
import { LONGEST_TAG, TAG_NAMES } from './tags.ts';

/** Maximum length of a reply, in UTF-16 units. */
export const LONGEST_REPLY = 65_536;

/** Cuts a reply into its parts while it arrives, without the fence around it if it is one block of code with tags in it. */
export class ReplyReader {
  readonly #lexer: ReplyLexer;
  readonly #fence = new WholeFence();
  #length = 0;

  constructor(parts: ReplyParts) {
    this.#lexer = new ReplyLexer(parts);
  }

  /** What makes the reply longer than `LONGEST_REPLY` is not read. */
  push(part: string): void {
    const room = Math.max(0, LONGEST_REPLY - this.#length);
    this.#length += part.length;
    this.#lexer.push(this.#fence.push(part.slice(0, room)));
  }

  /** Reads what was held back. To be called once. */
  end(): { readonly isTooLong: boolean } {
    this.#lexer.push(this.#fence.end());
    this.#lexer.end();
    return { isTooLong: this.#length > LONGEST_REPLY };
  }
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
