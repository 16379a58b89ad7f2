import type { AlignedPart } from '../../tts/synthesizer.ts';

/** What belongs to the word before it: marks, then spaces. */
const SEPARATOR = /[\p{P}\p{S}]*\s*/uy;

/** How far ahead a word is looked for. In UTF-16 units. */
const LOOKAHEAD = 200;

/** Finds words in the text that is spoken, and gives each the marks and spaces that follow it. */
export class WordParts {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns the part of the text that ends with this word. Null if the word is not there, such as a number that is
   * spelled out: its text belongs to the next part.
   */
  next(word: string, startMs: number): AlignedPart | null {
    const found = this.#text.slice(this.#at, this.#at + LOOKAHEAD).indexOf(word);
    if (found < 0 || word === '') return null;
    const wordEnd = this.#at + found + word.length;
    SEPARATOR.lastIndex = wordEnd;
    const end = wordEnd + (SEPARATOR.exec(this.#text)?.[0].length ?? 0);
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return { text, startMs };
  }
}
