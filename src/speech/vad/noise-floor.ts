import { FRAME_MS } from '../../base/frame.ts';
import { BANDS } from './bands.ts';

/** Speech is interrupted for a moment within this time, in each band. */
const SEARCHED_MS = 1_600;
/** The search forgets one of these at a time. */
const PARTS = 8;
const PART_FRAMES = SEARCHED_MS / PARTS / FRAME_MS;
/** Share of what was before, in the power whose minimum is sought. */
const SMOOTHING = 0.8;
/** The least of so many smoothed powers of steady noise lies below their mean. */
const BIAS = 1.6;
/** In each bin, which makes −52 dBFS in all: no noise, and no voice is weaker. */
const LEAST = 10 ** -7.6;

/**
 * How loud the noise behind a voice is, in each band, even while somebody speaks: the least power of the last 1.6 s,
 * because speech has pauses and steady noise has none. At first there is no noise, so that a first word is not lost.
 *
 * Source: R. Martin, "Noise Power Spectral Density Estimation Based on Optimal Smoothing and Minimum Statistics", 2001;
 * with constants in place of its optimal smoothing.
 */
export class NoiseFloor {
  /** Mean power of the bins of each band. */
  readonly powers = new Float64Array(BANDS).fill(LEAST);
  readonly #smooth = new Float64Array(BANDS);
  /** The least power in each part of the search: all bands of one part, then those of the next. */
  readonly #least = new Float64Array(BANDS * PARTS);
  #part = 0;
  #frame = 0;

  /** Takes the power in each band of the next 20 ms. */
  take(powers: Float64Array): void {
    for (let band = 0; band < BANDS; band++) {
      const before = this.#smooth[band] as number;
      const smooth = SMOOTHING * before + (1 - SMOOTHING) * (powers[band] as number);
      this.#smooth[band] = smooth;
      const at = this.#part * BANDS + band;
      if (this.#frame === 0 || smooth < (this.#least[at] as number)) this.#least[at] = smooth;
      this.powers[band] = Math.max(LEAST, BIAS * this.#leastOf(band));
    }
    this.#frame = (this.#frame + 1) % PART_FRAMES;
    if (this.#frame === 0) this.#part = (this.#part + 1) % PARTS;
  }

  #leastOf(band: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let at = band; at < this.#least.length; at += BANDS) {
      const power = this.#least[at] as number;
      if (power < least) least = power;
    }
    return least;
  }
}
