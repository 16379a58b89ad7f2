/** Peaks further apart than this are chance. */
const MAX_GAP_MS = 6_000;
/** A path whose peaks have come every so often has become better when none has come for this many times as long. */
const PATIENCE = 1.5;
const MIN_PATIENCE_MS = 2_000;
const PLACES = 4;

/**
 * The latest moments at which a path held packets back and then delivered them all at once. A single one may be chance,
 * or a sender's whim. What has happened twice is waited for as long as it keeps coming back.
 */
export class DelayPeaks {
  readonly #atMs = new Float64Array(PLACES).fill(Number.NEGATIVE_INFINITY);
  readonly #heightMs = new Float64Array(PLACES);
  #last = 0;

  /** Records a peak by the lateness of its latest packet. */
  note(heightMs: number, atMs: number): void {
    this.#last = (this.#last + 1) % PLACES;
    this.#atMs[this.#last] = atMs;
    this.#heightMs[this.#last] = heightMs;
  }

  /** The height of all but the highest of the peaks that come back; 0 when none do. */
  heightMs(nowMs: number): number {
    const lastMs = this.#atMs[this.#last]!;
    const gapMs = lastMs - this.#atMs[(this.#last + PLACES - 1) % PLACES]!;
    if (gapMs > MAX_GAP_MS || nowMs - lastMs > Math.max(gapMs * PATIENCE, MIN_PATIENCE_MS)) return 0;
    return this.#secondHighest(lastMs - PLACES * MAX_GAP_MS);
  }

  #secondHighest(sinceMs: number): number {
    let highest = 0;
    let second = 0;
    for (let i = 0; i < PLACES; i++) {
      if (this.#atMs[i]! < sinceMs) continue;
      const height = this.#heightMs[i]!;
      second = Math.max(second, Math.min(height, highest));
      highest = Math.max(highest, height);
    }
    return second;
  }
}
