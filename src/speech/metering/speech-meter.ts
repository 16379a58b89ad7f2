/** Limit on times that wait to be reported. A report takes them every second. */
const MAX_TIMES = 64;

/** What the speech of a call has used and how fast its vendors were, since the last report. */
export interface SpeechCounts {
  /** Characters of text that the vendor was asked to speak. */
  readonly characters: number;
  /** Audio that the vendor has sent. */
  readonly spokenMs: number;
  /** Audio that was sent to the vendor. */
  readonly heardMs: number;
  /** For each utterance: from the request for its first piece to its first audio. */
  readonly firstByteMs: readonly number[];
  /** For each result: from the end of what was said, where the vendor tells it, to the final result. */
  readonly finalMs: readonly number[];
  readonly droppedInterims: number;
}

/** Counts on the bridge thread, for reports to the main thread. */
export class SpeechMeter {
  #characters = 0;
  #spokenMs = 0;
  #heardMs = 0;
  #firstByteMs: number[] = [];
  #finalMs: number[] = [];
  #droppedInterims = 0;

  asked(characters: number): void {
    this.#characters += characters;
  }

  spoke(milliseconds: number): void {
    this.#spokenMs += milliseconds;
  }

  heard(milliseconds: number): void {
    this.#heardMs += milliseconds;
  }

  firstByte(milliseconds: number): void {
    if (this.#firstByteMs.length < MAX_TIMES) this.#firstByteMs.push(milliseconds);
  }

  final(milliseconds: number): void {
    if (this.#finalMs.length < MAX_TIMES) this.#finalMs.push(milliseconds);
  }

  interimDropped(): void {
    this.#droppedInterims++;
  }

  /** What was counted since the last `reset`; null: nothing. */
  get counts(): SpeechCounts | null {
    const counts = {
      characters: this.#characters,
      spokenMs: this.#spokenMs,
      heardMs: this.#heardMs,
      firstByteMs: this.#firstByteMs,
      finalMs: this.#finalMs,
      droppedInterims: this.#droppedInterims,
    };
    const sum = counts.characters + counts.spokenMs + counts.heardMs + counts.droppedInterims;
    return sum + counts.firstByteMs.length + counts.finalMs.length > 0 ? counts : null;
  }

  reset(): void {
    this.#characters = 0;
    this.#spokenMs = 0;
    this.#heardMs = 0;
    this.#firstByteMs = [];
    this.#finalMs = [];
    this.#droppedInterims = 0;
  }
}
