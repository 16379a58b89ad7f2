/** When words are spoken, in seconds from the start of the utterance, as Cartesia reports it. */
export interface WordTimes {
  readonly words: readonly string[];
  readonly endsS: readonly number[];
}

/** How far ahead a word is looked for. Vendors leave out characters that are not spoken. In UTF-16 units. */
const LOOKAHEAD = 200;
/** Marks that belong to the word before them. */
const MARKS = /[^\s\p{L}\p{N}]*/uy;

/** Which text an utterance has reached at which time, from the times of its words. */
export class WordAlignment {
  readonly #text: string;
  /** Where each word ends in the text. */
  readonly #ends: number[] = [];
  readonly #endsMs: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds words in the order of the text. A word that is not in the text, such as a spelled-out number, is left out. */
  add({ words, endsS }: WordTimes): void {
    for (const [i, endS] of endsS.entries()) {
      const word = words[i] ?? '';
      const from = this.#ends.at(-1) ?? 0;
      const at = this.#text.slice(from, from + LOOKAHEAD).indexOf(word);
      if (word === '' || at === -1) continue;
      this.#ends.push(from + at + word.length);
      this.#endsMs.push(endS * 1000);
    }
  }

  /** Returns the text up to the last word that had been spoken to its end after `playedMs`. */
  spokenText(playedMs: number): string {
    const last = this.#endsMs.findLastIndex((endMs) => endMs <= playedMs);
    const end = this.#ends[last] ?? 0;
    if (end === 0) return '';
    MARKS.lastIndex = end;
    return this.#text.slice(0, end) + (MARKS.exec(this.#text)?.[0] ?? '');
  }
}
