/** What somebody on a call has said. */
export interface TranscriptLine {
  readonly speaker: string;
  readonly text: string;
}

/** A transcript from some line on. */
export interface TranscriptPart {
  readonly lines: readonly TranscriptLine[];
  /** All lines so far, those before the part included. */
  readonly length: number;
}

/** Characters that are kept of a call, about four hours of speech; then the oldest lines go. */
const MAX_CHARACTERS = 262_144;

export const NO_TRANSCRIPT: TranscriptPart = { lines: [], length: 0 };

/** What has been said on a call, as far as it is kept: nothing where nobody writes it down. */
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

  /** The lines after the first `count`, as far as they are kept. */
  since(count: number): TranscriptPart {
    if (this.#length === 0) return NO_TRANSCRIPT;
    const firstKept = this.#length - this.#kept.length;
    return { lines: this.#kept.slice(Math.max(0, count - firstKept)), length: this.#length };
  }

  /** A quarter at once, so that a long call does not move all its lines for each new one. */
  #forgetOldest(): void {
    let gone = 0;
    for (; this.#characters > (MAX_CHARACTERS / 4) * 3 && gone < this.#kept.length - 1; gone++)
      this.#characters -= charactersOf(this.#kept[gone]!);
    this.#kept = this.#kept.slice(gone);
  }
}

/** A line costs something even where nothing is said in it. */
function charactersOf({ speaker, text }: TranscriptLine): number {
  return speaker.length + text.length + 16;
}
