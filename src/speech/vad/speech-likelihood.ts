import { BANDS } from './bands.ts';

/** Share of what the last frame was, in how much speech is expected in this one. */
const MEMORY = 0.9;
/** Least speech that is expected, relative to the noise: −15 dB. */
const LEAST_EXPECTED = 0.03;
/** More is as certain as this. */
const MOST = 100;

/**
 * How much likelier the power in each band is with speech than with noise alone.
 *
 * Source: J. Sohn, N. S. Kim, W. Sung, "A Statistical Model-Based Voice Activity Detection", 1999. How much speech is
 * expected comes from the frame before (Y. Ephraim, D. Malah, 1984).
 */
export class SpeechLikelihood {
  /** Power of speech relative to the noise, as the last frame had it. */
  readonly #speech = new Float64Array(BANDS);

  /** Takes the powers of 20 ms, and of the noise. Returns the mean logarithm of the likelihood ratio: about 0 in noise. */
  take(powers: Float64Array, noise: Float64Array): number {
    let sum = 0;
    for (let band = 0; band < BANDS; band++) {
      const ratio = Math.min(MOST, (powers[band] as number) / (noise[band] as number));
      const heard = Math.max(0, ratio - 1);
      const expected = Math.max(
        LEAST_EXPECTED,
        MEMORY * (this.#speech[band] as number) + (1 - MEMORY) * heard,
      );
      const share = expected / (1 + expected);
      this.#speech[band] = Math.min(MOST, share * share * ratio);
      sum += ratio * share - Math.log1p(expected);
    }
    return sum / BANDS;
  }
}
