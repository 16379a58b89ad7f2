/** One utterance on a call. */
export interface TranscriptLine {
  readonly speaker: string;
  readonly text: string;
}

/** A line of a stored transcript. `position` counts from 0. */
interface StoredLine extends TranscriptLine {
  readonly position: number;
}

/** The lines of a transcript from a given line on. */
export interface TranscriptPart {
  readonly lines: readonly TranscriptLine[];
  /** Number of all lines so far, including those before this part. */
  readonly length: number;
}

/** Limit of characters kept per call, about four hours of speech. Beyond it the oldest lines are dropped. */
const MAX_CHARACTERS = 262_144;
/** Cost of a line beside its text, so that empty lines count too. */
const LINE_COST = 16;
/** More lines than these are never kept. */
export const MAX_LINES = MAX_CHARACTERS / LINE_COST;

export const NO_TRANSCRIPT: TranscriptPart = { lines: [], length: 0 };

/** The transcript of a call. Empty where nothing transcribes the call; the oldest lines of a long call are dropped. */
export class Transcript {
  #kept: TranscriptLine[] = [];
  #characters = 0;
  #length = 0;

  /** The transcript of a past call, from its newest lines. */
  static restored(lines: readonly StoredLine[]): Transcript {
    const transcript = new Transcript();
    transcript.#length = lines[0]?.position ?? 0;
    for (const { speaker, text } of lines) transcript.add({ speaker, text });
    return transcript;
  }

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

function charactersOf({ speaker, text }: TranscriptLine): number {
  return speaker.length + text.length + LINE_COST;
}
