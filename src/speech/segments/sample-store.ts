const FIRST_SAMPLES = 65_536;

/** Samples of one utterance. Its memory doubles when needed and is kept for the next utterance. */
export class SampleStore {
  #samples = new Int16Array(FIRST_SAMPLES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(samples: Int16Array): void {
    const length = this.#length + samples.length;
    if (length > this.#samples.length) this.#grow(length);
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }

  /** Drops the oldest samples beyond `most`. */
  keepLast(most: number): void {
    if (this.#length <= most) return;
    this.#samples.copyWithin(0, this.#length - most, this.#length);
    this.#length = most;
  }

  /** A view of the first `length` samples, valid until the next change. */
  first(length: number): Int16Array {
    return this.#samples.subarray(0, Math.min(length, this.#length));
  }

  clear(): void {
    this.#length = 0;
  }

  #grow(least: number): void {
    const larger = new Int16Array(Math.max(least, 2 * this.#samples.length));
    larger.set(this.#samples);
    this.#samples = larger;
  }
}
