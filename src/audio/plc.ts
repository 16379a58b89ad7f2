import { ComfortNoise } from './comfort-noise.ts';
import { LagSearch } from './lag-search.ts';

/** Range of pitch periods searched: 200 Hz to 66 Hz, as in G.711 Appendix I. */
const MIN_PITCH_MS = 5;
const MAX_PITCH_MS = 15;
/** Length of the history that is correlated with itself to find the pitch. */
const MATCH_MS = 20;
/**
 * Concealment keeps its level for the first 20 ms and has faded out after 160 ms. The appendix has 10 and 60: bursts of
 * loss are understood better (STOI) by what is held for longer.
 */
const HOLD_MS = 20;
const FADE_END_MS = 160;
/** Noise like the background takes the place of what fades. It fades itself in the last part of the concealment. */
const NOISE_MS = 1_000;
const NOISE_HOLD_SHARE = 0.6;
/** The background is looked for once in so many records of sound, and only after a few without a loss. */
const LEARN_EVERY = 24;
const LEARN_AFTER = 3;
/** Shortest template: two periods of a high voice, which buzz less than one. A longer one repeats sounds that are over. */
const MIN_TEMPLATE_MS = 7;
const MAX_TEMPLATE_MS = 15;
/**
 * Size of the history buffer, as a multiple of the history kept. Samples are appended until it is full, then moved
 * back.
 */
const ROOM = 2;
/** Overlap with the sound after a loss. The appendix lets it grow with the loss, at the cost of what was received. */
const OVERLAP_MS = 4;

const NO_TEMPLATE = new Float32Array(0);

/**
 * Packet-loss concealment by pitch repetition, after ITU-T G.711 Appendix I. It fills a gap with the last pitch
 * periods, which fade into comfort noise over 160 ms, and cross-fades into the sound that follows. Unlike the appendix it
 * adds no delay: a decaying offset closes the seam at the start.
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
  readonly #search: LagSearch;
  readonly #noise: ComfortNoise;
  readonly #noiseMs: number;
  /** Records of sound until the background is looked for again. */
  #untilLearning = LEARN_EVERY;

  /** Concealment has faded out, with all noise, after `noiseMs`. */
  constructor(sampleRateHz: number, noiseMs = NOISE_MS) {
    this.#noiseMs = noiseMs;
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#pastSamples = Math.ceil((MATCH_MS + MAX_TEMPLATE_MS + MAX_PITCH_MS) * this.#samplesPerMs);
    this.#past = new Int16Array(ROOM * this.#pastSamples);
    this.#end = this.#pastSamples;
    this.#search = new LagSearch(sampleRateHz, {
      shortestMs: MIN_PITCH_MS,
      longestMs: MAX_PITCH_MS,
      everyLag: false,
    });
    this.#noise = new ComfortNoise(sampleRateHz);
  }

  /** Records samples that are played. After a loss it first blends their start, in place, with the concealment. */
  heard(samples: Int16Array, offset: number, length: number): void {
    if (this.#mustBlend) this.#blend(samples, offset, length);
    this.#hasHeard = true;
    this.#mustBlend = false;
    this.#concealedSamples = 0;
    this.#remember(samples, offset, length);
    this.#untilLearning--;
    if (this.#untilLearning <= 0) this.#learn();
  }

  #learn(): void {
    this.#untilLearning = LEARN_EVERY;
    this.#noise.learn(this.#past, this.#end);
  }

  /** Fills `length` samples with silence while there is no stream. Sound that returns is faded in. */
  rest(out: Int16Array, offset: number, length: number): void {
    out.fill(0, offset, offset + length);
    // Before the first sound there is nothing to fade from.
    if (this.#hasHeard) this.skip();
    this.#concealedSamples = this.#noiseMs * this.#samplesPerMs;
    this.#remember(out, offset, length);
  }

  /**
   * Records that audio was dropped on purpose. The next samples are blended with the continuation of the previous ones.
   */
  skip(): void {
    if (!this.#mustBlend) this.#begin();
  }

  /** Records that something was played unheard. The background is not taken from across the gap. */
  miss(): void {
    this.#untilLearning = Math.max(this.#untilLearning, LEARN_AFTER);
  }

  /** Whether the next sound will be blended with the concealment. */
  get isConcealing(): boolean {
    return this.#mustBlend;
  }

  /** Forgets the sound: the next one does not continue it, and is not blended. */
  forget(): void {
    this.#mustBlend = false;
    this.#hasHeard = false;
    this.#concealedSamples = 0;
    this.#past.fill(0);
  }

  /** Conceals the next `length` samples. */
  conceal(out: Int16Array, offset: number, length: number): void {
    if (!this.#mustBlend) this.#begin();
    for (let i = 0; i < length; i++) out[offset + i] = this.#nextSample();
    this.#remember(out, offset, length);
  }

  /** Foretells a few samples of the concealment, but for the noise. */
  foresee(out: Int16Array, offset: number, length: number): void {
    const gain = this.#gain();
    for (let i = 0; i < length; i++)
      out[offset + i] = this.#template[(this.#position + i) % this.#templateSamples]! * gain;
  }

  #begin(): void {
    this.#mustBlend = true;
    this.miss();
    const past = this.#past;
    const end = this.#end;
    const matched = MATCH_MS * this.#samplesPerMs;
    this.#search.find(past, end - matched, matched);
    const pitch = this.#search.lag;
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
    const gain = this.#gain();
    const noise = gain < 1 ? this.#nextNoise(lostMs) * Math.sqrt(1 - gain * gain) : 0;
    this.#position = this.#position + 1 === this.#templateSamples ? 0 : this.#position + 1;
    this.#concealedSamples++;
    return Math.round(Math.min(Math.max(sample * gain + noise, -32_768), 32_767));
  }

  /** Of what is repeated. */
  #gain(): number {
    return fadeOut(this.#concealedSamples / this.#samplesPerMs, HOLD_MS, FADE_END_MS);
  }

  #nextNoise(lostMs: number): number {
    if (!this.#noise.isKnown) return 0;
    return this.#noise.next() * fadeOut(lostMs, this.#noiseMs * NOISE_HOLD_SHARE, this.#noiseMs);
  }

  #blend(samples: Int16Array, offset: number, length: number): void {
    const overlap = Math.min(Math.floor(OVERLAP_MS * this.#samplesPerMs), length);
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
}

/** Gain that is 1 until `holdMs` and 0 from `endMs` on. */
function fadeOut(atMs: number, holdMs: number, endMs: number): number {
  return 1 - Math.min(Math.max(atMs - holdMs, 0) / (endMs - holdMs), 1);
}
