/** Results come within this time, or hardly at all. A provider that is asked again and again may be later. */
const PATIENCE_MS = 6_000;

/** Whether a voice that has spoken still waits for what it has said to be understood. */
export class AwaitedWords {
  /** Where the voice began in its own audio, in ms. Null: everything was understood. */
  #fromMs: number | null = null;
  /** When it stopped. Monotonic; infinite while it speaks. */
  #stoppedMs = Number.POSITIVE_INFINITY;

  started(atMs: number): void {
    this.#fromMs ??= atMs;
    this.#stoppedMs = Number.POSITIVE_INFINITY;
  }

  stopped(nowMs: number): void {
    this.#stoppedMs = nowMs;
  }

  /** Takes the end of a result in the voice's audio; null if nobody knows it. A result may be of what was said before. */
  understood(untilMs: number | null): void {
    if (this.#fromMs !== null && (untilMs ?? Number.POSITIVE_INFINITY) >= this.#fromMs) this.#fromMs = null;
  }

  /** Whether it is in vain to wait any longer. True once for what was said. */
  giveUp(nowMs: number): boolean {
    if (this.#fromMs === null || nowMs - this.#stoppedMs < PATIENCE_MS) return false;
    this.#fromMs = null;
    return true;
  }
}
