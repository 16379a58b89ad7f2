import { ComfortNoise } from './comfort-noise.ts';

/** Concealment keeps its level for the first 60 ms and has become comfort noise after 120 ms. */
const HOLD_MS = 60;
const FADE_END_MS = 120;
/** The noise fades itself before the stream counts as stopped. */
const NOISE_HOLD_MS = 600;
const NOISE_END_MS = 1_000;
/** Time in which sound that returns rises to its level. */
const RISE_MS = 10;
/** The background is looked for once in so many records of sound, in so much of it. */
const LEARN_EVERY = 24;
const LEARNED_MS = 40;

/**
 * Bounds the concealment of a decoder that goes on for as long as it is asked: it fades into comfort noise. (What libopus
 * makes of a tone grows for 300 ms.)
 */
export class ConcealmentFade {
  readonly #samplesPerMs: number;
  readonly #noise: ComfortNoise;
  /** Sound in a row, in which the background is looked for. */
  readonly #recent: Int16Array;
  #recentSamples = 0;
  #sinceLearned = 0;
  #hasHeard = false;
  #concealedSamples = 0;
  /** Share of the decoder's output, in amplitude. */
  #gain = 1;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#noise = new ComfortNoise(sampleRateHz);
    this.#recent = new Int16Array(LEARNED_MS * this.#samplesPerMs);
  }

  /** Whether the concealment has faded, so that it need not be made. */
  get isFaded(): boolean {
    return this.#concealedSamples >= FADE_END_MS * this.#samplesPerMs;
  }

  /** Records decoded samples. After a faded concealment it lets them rise, in place. */
  heard(samples: Int16Array, at: number, length: number): void {
    if (this.#gain < 1 && this.#hasHeard) this.#rise(samples, at, length);
    this.#hasHeard = true;
    this.#gain = 1;
    this.#concealedSamples = 0;
    this.#sinceLearned++;
    if (this.#sinceLearned >= LEARN_EVERY) this.#learn(samples, at, length);
  }

  /** Fades concealed samples, in place. */
  conceal(samples: Int16Array, at: number, length: number): void {
    this.#recentSamples = 0;
    for (let i = at; i < at + length; i++) {
      const lostMs = this.#concealedSamples / this.#samplesPerMs;
      this.#gain = fadeOut(lostMs, HOLD_MS, FADE_END_MS);
      samples[i] = this.#blended(samples[i]!, fadeOut(lostMs, NOISE_HOLD_MS, NOISE_END_MS));
      this.#concealedSamples++;
    }
  }

  /** Records that there is no stream. */
  rest(): void {
    this.#gain = 0;
    this.#concealedSamples = NOISE_END_MS * this.#samplesPerMs;
    this.#recentSamples = 0;
  }

  #rise(samples: Int16Array, at: number, length: number): void {
    const end = at + Math.min(RISE_MS * this.#samplesPerMs, length);
    const step = (1 - this.#gain) / (end - at);
    const lostMs = this.#concealedSamples / this.#samplesPerMs;
    const noiseGain = fadeOut(lostMs, NOISE_HOLD_MS, NOISE_END_MS);
    for (let i = at; i < end; i++) {
      this.#gain = Math.min(this.#gain + step, 1);
      samples[i] = this.#blended(samples[i]!, noiseGain);
    }
  }

  #blended(sample: number, noiseGain: number): number {
    const gain = this.#gain;
    if (gain === 1) return sample;
    const noise = this.#noise.isKnown ? this.#noise.next() * noiseGain * Math.sqrt(1 - gain * gain) : 0;
    return Math.round(Math.min(Math.max(sample * gain + noise, -32_768), 32_767));
  }

  #learn(samples: Int16Array, at: number, length: number): void {
    const recent = this.#recent;
    const count = Math.min(length, recent.length - this.#recentSamples);
    for (let i = 0; i < count; i++) recent[this.#recentSamples + i] = samples[at + i]!;
    this.#recentSamples += count;
    if (this.#recentSamples < recent.length) return;
    this.#noise.learn(recent, recent.length);
    this.#recentSamples = 0;
    this.#sinceLearned = 0;
  }
}

/** Gain that is 1 until `holdMs` and 0 from `endMs` on. */
function fadeOut(atMs: number, holdMs: number, endMs: number): number {
  return 1 - Math.min(Math.max(atMs - holdMs, 0) / (endMs - holdMs), 1);
}
