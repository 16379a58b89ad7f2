import { assert } from '../base/assert.ts';

/** Samples between the resampler and the frame: what did not fit the last frame begins the next. */
export class SampleFifo {
  readonly #samples: Int16Array;
  #length = 0;

  constructor(capacitySamples: number) {
    this.#samples = new Int16Array(capacitySamples);
  }

  get length(): number {
    return this.#length;
  }

  append(source: Int16Array, count: number): void {
    assert(this.#length + count <= this.#samples.length, 'sample fifo overflows');
    for (let i = 0; i < count; i++) this.#samples[this.#length + i] = source[i] as number;
    this.#length += count;
  }

  /** Moves the first `count` samples to the front of `target`. */
  shift(target: Int16Array, count: number): void {
    for (let i = 0; i < count; i++) target[i] = this.#samples[i] as number;
    this.#samples.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  clear(): void {
    this.#length = 0;
  }
}
