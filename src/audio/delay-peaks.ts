/** Peaks this long ago are forgotten. */
const REMEMBERED_MS = 3_200;
/** So many peaks in that time are a property of the path. Fewer may be chance, or a sender's whim. */
const ENOUGH = 3;
/** Peaks remembered; more often than that, a path has jitter rather than peaks. */
const PLACES = 8;

/** The latest moments at which a path held packets back and then delivered them all at once. */
export class DelayPeaks {
  readonly #atMs = new Float64Array(PLACES).fill(Number.NEGATIVE_INFINITY);
  readonly #heightMs = new Float64Array(PLACES);
  #next = 0;

  /** Records a peak by the lateness of its latest packet. */
  note(heightMs: number, atMs: number): void {
    this.#atMs[this.#next] = atMs;
    this.#heightMs[this.#next] = heightMs;
    this.#next = (this.#next + 1) % PLACES;
  }

  /** The height of all but the highest of the last peaks; 0 while they are few. */
  heightMs(nowMs: number): number {
    let count = 0;
    let highest = 0;
    let second = 0;
    for (let i = 0; i < PLACES; i++) {
      if (nowMs - this.#atMs[i]! > REMEMBERED_MS) continue;
      count++;
      const height = this.#heightMs[i]!;
      second = Math.max(second, Math.min(height, highest));
      highest = Math.max(highest, height);
    }
    return count >= ENOUGH ? second : 0;
  }
}
