const WINDOW_MS = 60_000;
const MAX_FLUSHES = 20;

/** Deepgram ignores the 21st Flush within a minute. */
export class FlushLimit {
  readonly #atMs: number[] = [];

  /** Returns how long the next one has to wait. */
  waitMs(nowMs: number): number {
    const oldestMs = this.#atMs[0];
    if (oldestMs === undefined || this.#atMs.length < MAX_FLUSHES) return 0;
    return Math.max(0, oldestMs + WINDOW_MS - nowMs);
  }

  add(nowMs: number): void {
    this.#atMs.push(nowMs);
    if (this.#atMs.length > MAX_FLUSHES) this.#atMs.shift();
  }
}
