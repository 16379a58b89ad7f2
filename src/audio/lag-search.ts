/** Samples per millisecond that are compared: first over the whole range of lags, then at those around the best. */
const COARSE_PER_MS = 4;
const FINE_PER_MS = 8;

interface LagRange {
  readonly shortestMs: number;
  readonly longestMs: number;
  /** Whether the first comparison is at every lag. Otherwise it is at every 1/4 ms, which takes half the time at 8 kHz. */
  readonly everyLag: boolean;
}

/** Finds how far apart a signal resembles itself, which for a voice is a whole number of its pitch periods. */
export class LagSearch {
  /** The lag found, in samples. */
  lag = 0;
  /** How alike both places are, −1 to 1: the normalized cross-correlation. */
  likeness = 0;
  /** The range of lags, in samples. */
  readonly shortest: number;
  readonly longest: number;
  /** The middle of that range. */
  readonly middle: number;
  readonly #samplesPerMs: number;
  readonly #coarseStep: number;
  readonly #lagStep: number;
  readonly #fineStep: number;
  #samples: Int16Array = new Int16Array(0);
  #at = 0;
  #length = 0;

  constructor(sampleRateHz: number, { shortestMs, longestMs, everyLag }: LagRange) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.shortest = Math.floor(shortestMs * this.#samplesPerMs);
    this.longest = Math.floor(longestMs * this.#samplesPerMs);
    this.middle = Math.floor((this.shortest + this.longest) / 2);
    this.#coarseStep = Math.max(Math.floor(this.#samplesPerMs / COARSE_PER_MS), 1);
    this.#lagStep = everyLag ? 1 : this.#coarseStep;
    this.#fineStep = Math.max(Math.floor(this.#samplesPerMs / FINE_PER_MS), 1);
  }

  /**
   * Compares `length` samples from `at` with those up to `longest` samples earlier, which must exist. The best lag is looked
   * for at most every 1/4 ms first, then more closely around what was found, in the end to the sample.
   */
  find(samples: Int16Array, at: number, length: number, longest = this.longest): void {
    this.#samples = samples;
    this.#at = at;
    this.#length = length;
    this.#findCoarsely(longest);
    const midStep = Math.max(this.#coarseStep >> 2, 1);
    this.#refine(this.#coarseStep, midStep, longest);
    if (midStep > 1) this.#refine(midStep - 1, 1, longest);
  }

  /** Compares every `#coarseStep`-th sample only. */
  #findCoarsely(longest: number): void {
    this.lag = this.shortest;
    let match = Number.NEGATIVE_INFINITY;
    const end = this.shortest + this.#coarseStep;
    for (let from = this.shortest; from < end; from += this.#lagStep)
      match = this.#betterMatch(from, longest, match);
  }

  /** Sets `lag` to one of every `#coarseStep`-th from `from` on if it matches better. Each energy follows from the last. */
  #betterMatch(from: number, longest: number, matchSoFar: number): number {
    const samples = this.#samples;
    const step = this.#coarseStep;
    const first = this.#at;
    const end = first + this.#wholeSteps(step);
    let bestMatch = matchSoFar;
    let energy = this.#energy(from, step);
    for (let lag = from; lag <= longest; lag += step) {
      if (lag > from) energy += square(samples[first - lag]!) - square(samples[end - lag]!);
      const match = this.#product(lag, step) / Math.sqrt(energy);
      if (match <= bestMatch) continue;
      bestMatch = match;
      this.lag = lag;
    }
    return bestMatch;
  }

  /** Looks for a better lag up to `reach` around the one found. */
  #refine(reach: number, lagStep: number, longest: number): void {
    const step = this.#fineStep;
    const first = Math.max(this.lag - reach, this.shortest);
    const last = Math.min(this.lag + reach, longest);
    let bestMatch = Number.NEGATIVE_INFINITY;
    for (let lag = first; lag <= last; lag += lagStep) {
      const match = this.#product(lag, step) / Math.sqrt(this.#energy(lag, step));
      if (match <= bestMatch) continue;
      bestMatch = match;
      this.lag = lag;
    }
    this.likeness = bestMatch / Math.sqrt(this.#energy(0, step));
  }

  /** The part that is compared, in whole steps. */
  #wholeSteps(step: number): number {
    return Math.floor(this.#length / step) * step;
  }

  #product(lag: number, step: number): number {
    const samples = this.#samples;
    const end = this.#at + this.#wholeSteps(step);
    let product = 0;
    for (let i = this.#at; i < end; i += step) product += samples[i]! * samples[i - lag]!;
    return product;
  }

  /** Energy of the samples `lag` earlier. Never zero. */
  #energy(lag: number, step: number): number {
    const samples = this.#samples;
    const end = this.#at - lag + this.#wholeSteps(step);
    let energy = 1;
    for (let i = this.#at - lag; i < end; i += step) energy += samples[i]! * samples[i]!;
    return energy;
  }
}

/** V8 calls a function of the C library for `** 2`. */
function square(sample: number): number {
  return sample * sample;
}
