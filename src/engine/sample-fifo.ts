import { assert } from '../base/assert.ts';

/** Samples between the resampler and the frame. Those left over from one frame start the next. */
export class SampleFifo {
  length = 0;
  /** The samples from the first on. Those beyond `length` are undefined. */
  readonly samples: Int16Array;
  /** View of the first frame. Copying a whole array is faster than a loop. */
  readonly #front: Int16Array;

  constructor(frameSamples: number) {
    this.samples = new Int16Array(5 * frameSamples);
    this.#front = this.samples.subarray(0, frameSamples);
  }

  append(source: Int16Array): void {
    const length = this.length;
    assert(length + source.length <= this.samples.length, 'sample fifo overflows');
    this.samples.set(source, length);
    this.length = length + source.length;
  }

  /** Moves the first `count` samples to the start of `target`. */
  shift(target: Int16Array, count: number): void {
    const samples = this.samples;
    if (count === this.#front.length) target.set(this.#front);
    else for (let i = 0; i < count; i++) target[i] = samples[i] as number;
    if (count < this.length) samples.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** Removes the first `count` samples. */
  drop(count: number): void {
    this.samples.copyWithin(0, count, this.length);
    this.length -= count;
  }

  clear(): void {
    this.length = 0;
  }
}
