/** Range of pitch periods searched: 200 Hz to 66 Hz, as in G.711 Appendix I. */
const MIN_PITCH_MS = 5;
const MAX_PITCH_MS = 15;
/** Length of the history that is correlated with itself to find the pitch. */
const MATCH_MS = 20;
/** Samples per millisecond that the search for the pitch compares: first of all lags, then of those around the best. */
const COARSE_PER_MS = 4;
const FINE_PER_MS = 8;
/** Concealment keeps its level for the first 10 ms and has faded out after 60 ms. */
const HOLD_MS = 10;
const FADE_END_MS = 60;
/** Shortest template: at least two periods of a high voice, which buzzes less than a single one. */
const MIN_TEMPLATE_MS = 10;
const MAX_TEMPLATE_MS = 20;
/**
 * Size of the history buffer, as a multiple of the history kept. Samples are appended until it is full, then moved
 * back.
 */
const ROOM = 2;
/** Overlap with the sound after a loss: 4 ms plus 4 ms for every 10 ms lost, up to 10 ms. */
const OVERLAP_MS = 4;
const MAX_OVERLAP_MS = 10;

const NO_TEMPLATE = new Float32Array(0);

/**
 * Packet-loss concealment by pitch repetition, after ITU-T G.711 Appendix I. It fills a gap with the last pitch
 * periods, fades out over 60 ms and cross-fades into the sound that follows. Unlike the appendix it adds no delay: a
 * decaying offset closes the seam at the start.
 */
export class PacketLossConcealer {
  readonly #samplesPerMs: number;
  /** History of the output, ending at `#end`. At least the last `#pastSamples` are kept. */
  readonly #past: Int16Array;
  readonly #pastSamples: number;
  #end: number;
  /** Allocated on the first loss. */
  #template = NO_TEMPLATE;
  #templateSamples = 0;
  #position = 0;
  #seamOffset = 0;
  #seamSamples = 1;
  #concealedSamples = 0;
  #mustBlend = false;
  #hasHeard = false;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#pastSamples = Math.ceil((MATCH_MS + MAX_TEMPLATE_MS + MAX_PITCH_MS) * this.#samplesPerMs);
    this.#past = new Int16Array(ROOM * this.#pastSamples);
    this.#end = this.#pastSamples;
  }

  /** Records samples that are played. After a loss it first blends their start, in place, with the concealment. */
  heard(samples: Int16Array, offset: number, length: number): void {
    if (this.#mustBlend) this.#blend(samples, offset, length);
    this.#hasHeard = true;
    this.#mustBlend = false;
    this.#concealedSamples = 0;
    this.#remember(samples, offset, length);
  }

  /** Fills `length` samples with silence while there is no stream. Sound that returns is faded in. */
  rest(out: Int16Array, offset: number, length: number): void {
    out.fill(0, offset, offset + length);
    // Before the first sound there is nothing to fade from.
    if (this.#hasHeard) this.skip();
    this.#concealedSamples = FADE_END_MS * this.#samplesPerMs;
    this.#remember(out, offset, length);
  }

  /**
   * Records that audio was dropped on purpose. The next samples are blended with the continuation of the previous ones.
   */
  skip(): void {
    if (!this.#mustBlend) this.#begin();
  }

  /** Conceals the next `length` samples. */
  conceal(out: Int16Array, offset: number, length: number): void {
    if (!this.#mustBlend) this.#begin();
    for (let i = 0; i < length; i++) out[offset + i] = this.#nextSample();
    this.#remember(out, offset, length);
  }

  #begin(): void {
    this.#mustBlend = true;
    const past = this.#past;
    const end = this.#end;
    const pitch = this.#pitchSamples();
    const periods = Math.ceil((MIN_TEMPLATE_MS * this.#samplesPerMs) / pitch);
    const length = pitch * periods;
    const fade = pitch >> 2;
    if (this.#template === NO_TEMPLATE)
      this.#template = new Float32Array(Math.ceil((MAX_TEMPLATE_MS + 1) * this.#samplesPerMs));
    for (let i = 0; i < length; i++) this.#template[i] = past[end - length + i]!;
    // Cross-fade the end of the template into its start, so that repeating it makes no step.
    for (let i = 0; i < fade; i++) {
      const share = (i + 1) / (fade + 1);
      const before = past[end - length - fade + i]!;
      this.#template[length - fade + i] = this.#template[length - fade + i]! * (1 - share) + before * share;
    }
    this.#templateSamples = length;
    this.#position = 0;
    this.#seamOffset = past[end - 1]! - past[end - length - 1]!;
    this.#seamSamples = fade;
  }

  #nextSample(): number {
    const seam = Math.max(1 - (this.#concealedSamples + 1) / this.#seamSamples, 0);
    const sample = this.#template[this.#position]! + this.#seamOffset * seam;
    const lostMs = this.#concealedSamples / this.#samplesPerMs;
    const gain = 1 - Math.min(Math.max(lostMs - HOLD_MS, 0) / (FADE_END_MS - HOLD_MS), 1);
    this.#position = this.#position + 1 === this.#templateSamples ? 0 : this.#position + 1;
    this.#concealedSamples++;
    return Math.round(Math.min(Math.max(sample * gain, -32_768), 32_767));
  }

  #blend(samples: Int16Array, offset: number, length: number): void {
    const lostMs = this.#concealedSamples / this.#samplesPerMs;
    const overlapMs = Math.min(OVERLAP_MS + OVERLAP_MS * Math.floor(lostMs / 10), MAX_OVERLAP_MS);
    const overlap = Math.min(Math.floor(overlapMs * this.#samplesPerMs), length);
    for (let i = 0; i < overlap; i++) {
      const share = (i + 1) / (overlap + 1);
      samples[offset + i] = Math.round(samples[offset + i]! * share + this.#nextSample() * (1 - share));
    }
  }

  #remember(samples: Int16Array, offset: number, length: number): void {
    const past = this.#past;
    const kept = Math.min(length, this.#pastSamples);
    if (this.#end + kept > past.length) this.#moveBack();
    const end = this.#end;
    const from = offset + length - kept;
    if (kept === samples.length) past.set(samples, end);
    else for (let i = 0; i < kept; i++) past[end + i] = samples[from + i]!;
    this.#end = end + kept;
  }

  #moveBack(): void {
    this.#past.copyWithin(0, this.#end - this.#pastSamples, this.#end);
    this.#end = this.#pastSamples;
  }

  /** Returns the lag with the best correlation: searched in steps of 1/4 ms first, then to the sample. */
  #pitchSamples(): number {
    const step = Math.max(Math.floor(this.#samplesPerMs / COARSE_PER_MS), 1);
    const shortest = Math.floor(MIN_PITCH_MS * this.#samplesPerMs);
    const longest = Math.floor(MAX_PITCH_MS * this.#samplesPerMs);
    const coarse = this.#coarseLag(shortest, longest, step);
    return this.#fineLag(Math.max(coarse - step, shortest), Math.min(coarse + step, longest));
  }

  /** Compares every `step`-th sample only. The energy of a lag then follows from that of the previous one. */
  #coarseLag(shortest: number, longest: number, step: number): number {
    const past = this.#past;
    const first = this.#end - this.#matchSamples(step);
    let energy = this.#energy(shortest, step);
    let best = shortest;
    let bestMatch = Number.NEGATIVE_INFINITY;
    for (let lag = shortest; lag <= longest; lag += step) {
      const match = this.#product(lag, step) / Math.sqrt(energy);
      if (match > bestMatch) {
        bestMatch = match;
        best = lag;
      }
      energy += past[first - lag - step]! ** 2 - past[this.#end - lag - step]! ** 2;
    }
    return best;
  }

  #fineLag(shortest: number, longest: number): number {
    const stride = Math.max(Math.floor(this.#samplesPerMs / FINE_PER_MS), 1);
    let best = shortest;
    let bestMatch = Number.NEGATIVE_INFINITY;
    for (let lag = shortest; lag <= longest; lag++) {
      const match = this.#product(lag, stride) / Math.sqrt(this.#energy(lag, stride));
      if (match <= bestMatch) continue;
      bestMatch = match;
      best = lag;
    }
    return best;
  }

  /** The part of the history that is compared, in whole strides. */
  #matchSamples(stride: number): number {
    return Math.floor((MATCH_MS * this.#samplesPerMs) / stride) * stride;
  }

  /** Correlation of the last 20 ms with the samples `lag` earlier. */
  #product(lag: number, stride: number): number {
    const past = this.#past;
    const end = this.#end;
    let product = 0;
    for (let i = end - this.#matchSamples(stride); i < end; i += stride) product += past[i]! * past[i - lag]!;
    return product;
  }

  /** Energy of the samples that #product compares with. Never zero. */
  #energy(lag: number, stride: number): number {
    const past = this.#past;
    const end = this.#end - lag;
    let energy = 1;
    for (let i = end - this.#matchSamples(stride); i < end; i += stride) energy += past[i]! * past[i]!;
    return energy;
  }
}
