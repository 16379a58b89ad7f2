import { Fourier } from './fourier.ts';

/** Finds a block of one signal within another, by normalized cross-correlation over a fixed range. */
export class CorrelationSearch {
  readonly #block: number;
  readonly #range: number;
  readonly #fourier: Fourier;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;

  /** `blockSamples` are looked for at `rangeSamples` + 1 places. */
  constructor(blockSamples: number, rangeSamples: number) {
    this.#block = blockSamples;
    this.#range = rangeSamples;
    this.#fourier = new Fourier(2 ** Math.ceil(Math.log2(blockSamples + rangeSamples)));
    this.#real = new Float64Array(this.#fourier.length);
    this.#imaginary = new Float64Array(this.#fourier.length);
  }

  /**
   * The place of the block around `middle` of `signal` in `other`: samples after `from`, where the middle could first
   * be, and the correlation there.
   */
  best(signal: Float64Array, middle: number, other: Float64Array, from: number) {
    const half = this.#block / 2;
    const energy = this.#load(signal, middle - half, other, from - half);
    this.#correlate();
    let best = { offset: 0, match: -1 };
    let otherEnergy = 1;
    for (let i = 0; i < this.#block; i++) otherEnergy += (other[from - half + i] ?? 0) ** 2;
    for (let offset = 0; offset <= this.#range; offset++) {
      const match = this.#real[offset]! / Math.sqrt(energy * otherEnergy);
      if (match > best.match) best = { offset, match };
      const left = from - half + offset;
      otherEnergy += (other[left + this.#block] ?? 0) ** 2 - (other[left] ?? 0) ** 2;
    }
    return best;
  }

  /** The block is the imaginary part, what it is looked for in the real one. Returns the energy of the block. */
  #load(signal: Float64Array, signalFrom: number, other: Float64Array, otherFrom: number): number {
    this.#imaginary.fill(0);
    let energy = 1;
    for (let i = 0; i < this.#block; i++) {
      const sample = signal[signalFrom + i] ?? 0;
      this.#imaginary[i] = sample;
      energy += sample * sample;
    }
    for (let i = 0; i < this.#fourier.length; i++) {
      const isWithin = i < this.#block + this.#range;
      this.#real[i] = isWithin ? (other[otherFrom + i] ?? 0) : 0;
    }
    return energy;
  }

  /** Leaves the correlation in the real part. Circular, but not where it is read. */
  #correlate(): void {
    const { length } = this.#fourier;
    const real = this.#real;
    const imaginary = this.#imaginary;
    this.#fourier.transform(real, imaginary);
    // With spectra R and B of both signals: R + iB is known; the product R · conj(B) is wanted. For real signals it has
    // the symmetry of a spectrum of a real one, so both halves follow from each pair of bins.
    for (let bin = 0; bin <= length / 2; bin++) {
      const mirror = (length - bin) % length;
      const [a, b, c, d] = [real[bin]!, imaginary[bin]!, real[mirror]!, imaginary[mirror]!];
      const [otherRe, otherIm] = [(a + c) / 2, (b - d) / 2];
      const [blockRe, blockIm] = [(b + d) / 2, (c - a) / 2];
      const re = otherRe * blockRe + otherIm * blockIm;
      const im = otherIm * blockRe - otherRe * blockIm;
      // Conjugates: a forward transform of them is the inverse one, but for the scale.
      real[bin] = re / length;
      imaginary[bin] = -im / length;
      real[mirror] = re / length;
      imaginary[mirror] = im / length;
    }
    this.#fourier.transform(real, imaginary);
  }
}
