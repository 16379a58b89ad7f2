import { codeSpanLength, readFence, readFencedLine } from './code-span.ts';
import { decodeReferences, referenceLength } from './references.ts';
import { readClosing, readOpening, type Tag, type TagName } from './tags.ts';

/** Receives the parts of a reply in order. Texts are decoded; a long one may come in several parts. */
export interface ReplyParts {
  /** Text outside all tags. */
  outside(text: string): void;
  opened(tag: Tag): void;
  /** Text within the open tag. */
  body(text: string): void;
  /** The open tag is closed. */
  closed(): void;
  /** A known name is followed by something else than attributes. All of it is text. */
  malformed(name: TagName): void;
}

const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';
/** What may be more than text, outside tags and within one. */
const OUTSIDE_MARKS = /[<&`~]/;
const BODY_MARKS = /[<&]/;
/** How much of a long line of code is read at a time. */
const REST_OF_LINE = /^[^\n]*\n?/;

/**
 * Cuts a model's reply into tags and text while it arrives. Tags are not nested: within one, everything up to its first
 * closing tag is text. Outside, tags in Markdown's code do not count; nowhere do those in CDATA sections. A closing tag
 * of nothing is left out. What may become a tag
 * is held back, 1,024 characters at most, so the parts that the reply arrives in make no difference.
 */
export class ReplyLexer {
  readonly #parts: ReplyParts;
  #held = '';
  /** No more text follows. */
  #isWhole = false;
  #open: Tag | null = null;
  #isInCdata = false;
  /** What the block of code was opened by; null outside of blocks. */
  #fence: string | null = null;
  #isInCodeLine = false;
  #isLineBlank = true;

  constructor(parts: ReplyParts) {
    this.#parts = parts;
  }

  push(text: string): void {
    this.#held += text;
    while (this.#held !== '') {
      const length = this.#read();
      if (length === 0) return;
      this.#held = this.#held.slice(length);
    }
  }

  /** The reply has ended: what was held back is text. */
  end(): void {
    this.#isWhole = true;
    this.push('');
  }

  /** Reads what is at the start of the held text. Returns its length; 0: more text must decide. */
  #read(): number {
    if (this.#isInCdata) return this.#readCdata();
    if (this.#fence !== null) return this.#readCode(this.#fence);
    const at = this.#held.search(this.#open === null ? OUTSIDE_MARKS : BODY_MARKS);
    if (at !== 0) return this.#text(at < 0 ? this.#held : this.#held.slice(0, at));
    switch (this.#held.charAt(0)) {
      case '<':
        return this.#readMarkup();
      case '&':
        return this.#readReference();
      default:
        return this.#readMarks();
    }
  }

  #readMarkup(): number {
    const start = this.#held.slice(0, CDATA_START.length);
    if (start === CDATA_START) {
      this.#isInCdata = true;
      return start.length;
    }
    if (CDATA_START.startsWith(start)) return this.#undecided();
    if (this.#held.startsWith('</')) return this.#readClosing();
    return this.#open === null ? this.#readOpening() : this.#text('<');
  }

  #readOpening(): number {
    const found = readOpening(this.#held);
    if (found === 'undecided') return this.#undecided();
    if (found === 'none') return this.#text('<');
    if ('malformed' in found) {
      this.#parts.malformed(found.malformed);
      return this.#text('<');
    }
    this.#isLineBlank = false;
    if (found.tag.hasBody) this.#open = found.tag;
    this.#parts.opened(found.tag);
    return found.length;
  }

  #readClosing(): number {
    const found = readClosing(this.#held);
    if (found === 'undecided') return this.#undecided();
    if (found === 'none') return this.#text('<');
    this.#isLineBlank = false;
    if (this.#open === null) return found.length;
    if (this.#open.name !== found.name) return this.#text('<');
    this.#open = null;
    this.#parts.closed();
    return found.length;
  }

  #readReference(): number {
    const length = referenceLength(this.#held);
    if (length === 'undecided') return this.#undecided();
    if (length === 'none') return this.#text('&');
    this.#text(decodeReferences(this.#held.slice(0, length)));
    return length;
  }

  /** Backticks and tildes: those of a fence, of a code span, or text. */
  #readMarks(): number {
    const fence = this.#isLineBlank ? readFence(this.#held, this.#isWhole) : 'none';
    if (fence === 'undecided') return 0;
    if (fence !== 'none') {
      this.#fence = fence.mark;
      return this.#text(this.#held.slice(0, fence.length));
    }
    if (this.#held.startsWith('~')) return this.#text('~');
    const length = codeSpanLength(this.#held, this.#isWhole);
    return length === 'undecided' ? 0 : this.#text(this.#held.slice(0, length));
  }

  #readCode(mark: string): number {
    if (this.#isInCodeLine) {
      const rest = REST_OF_LINE.exec(this.#held)![0];
      this.#isInCodeLine = !rest.endsWith('\n');
      return this.#text(rest);
    }
    const line = readFencedLine(this.#held, mark, this.#isWhole);
    if (line === 'undecided') return 0;
    this.#isInCodeLine = line.kind === 'part_of_code';
    if (line.kind === 'end') this.#fence = null;
    return this.#text(this.#held.slice(0, line.length));
  }

  #readCdata(): number {
    const end = this.#held.indexOf(CDATA_END);
    if (end >= 0) {
      this.#isInCdata = false;
      this.#text(this.#held.slice(0, end));
      this.#isLineBlank = false;
      return end + CDATA_END.length;
    }
    const heldBack = this.#isWhole ? 0 : [2, 1].find((length) => this.#endsLikeCdata(length));
    return this.#text(this.#held.slice(0, this.#held.length - (heldBack ?? 0)));
  }

  #endsLikeCdata(length: number): boolean {
    return this.#held.endsWith(CDATA_END.slice(0, length));
  }

  /** Passes a text on and returns its length. */
  #text(text: string): number {
    if (text === '') return 0;
    if (this.#open !== null) this.#parts.body(text);
    else {
      const line = text.lastIndexOf('\n') + 1;
      this.#isLineBlank = (line > 0 || this.#isLineBlank) && text.slice(line).trim() === '';
      this.#parts.outside(text);
    }
    return text.length;
  }

  /** At the end of the reply, what could have become markup is text. */
  #undecided(): number {
    return this.#isWhole ? this.#text(this.#held.charAt(0)) : 0;
  }
}
