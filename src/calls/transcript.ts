/** One utterance on a call. */
export interface TranscriptLine {
  readonly speaker: string;
  readonly text: string;
}

/** The lines of a transcript from a given line on. */
export interface TranscriptPart {
  readonly lines: readonly TranscriptLine[];
  /** Number of all lines so far, including those before this part. */
  readonly length: number;
}

/** Limit of characters kept per call, about four hours of speech. Beyond it the oldest lines are dropped. */
const MAX_CHARACTERS = 262_144;

export const NO_TRANSCRIPT: TranscriptPart = { lines: [], length: 0 };

/** The transcript of a call. Empty where nothing transcribes the call; the oldest lines of a long call are dropped. */
export class Transcript {
  #kept: TranscriptLine[] = [];
  #characters = 0;
  #length = 0;

  add(line: TranscriptLine): void {
    this.#kept.push(line);
    this.#characters += charactersOf(line);
    this.#length += 1;
    if (this.#characters > MAX_CHARACTERS) this.#forgetOldest();
  }

  /** Returns the kept lines after the first `count`. */
  since(count: number): TranscriptPart {
    if (this.#length === 0) return NO_TRANSCRIPT;
    const firstKept = this.#length - this.#kept.length;
    return { lines: this.#kept.slice(Math.max(0, count - firstKept)), length: this.#length };
  }

  /**
   * Drops a quarter of the limit at once, because dropping one line at a time would copy all lines for each new one.
   */
  #forgetOldest(): void {
    let gone = 0;
    for (; this.#characters > (MAX_CHARACTERS / 4) * 3 && gone < this.#kept.length - 1; gone++)
      this.#characters -= charactersOf(this.#kept[gone]!);
    this.#kept = this.#kept.slice(gone);
  }
}

/** Includes a fixed cost per line, so that empty lines count too. */
function charactersOf({ speaker, text }: TranscriptLine): number {
  return speaker.length + text.length + 16;
}
