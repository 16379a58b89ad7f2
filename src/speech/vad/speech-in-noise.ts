import { FRAME_MS } from '../../base/frame.ts';
import { BANDS, bandPowers } from './bands.ts';
import { NoiseFloor } from './noise-floor.ts';
import { periodicity } from './periodicity.ts';
import { Spectrum } from './spectrum.ts';
import { SpeechLikelihood } from './speech-likelihood.ts';

/** Likelihood of speech (SpeechLikelihood) that noise hardly ever reaches. */
const LIKELY = 0.12;
/** Above this, the noise is not known, or has just become louder: only a vowel is believed. */
const DOUBTFUL = 3;
/** Smoothed periodicity below which weak speech is not believed. */
const SOMEWHAT_PERIODIC = 0.25;
/** Smoothed periodicity that noise does not reach. */
const VOWEL = 0.34;
/** Consonants follow a vowel within this time. */
const VOWEL_FRAMES = 400 / FRAME_MS;
/** Share of what was before, in the mean periodicity. */
const SMOOTHING = 0.5;
const NOISE_PERIODICITY = 0.21;
/** Speech stays speech for so long: the ends of words are as weak as noise. */
const HOLD_FRAMES = 200 / FRAME_MS;
/** If it has lasted for so long: a frame of noise may be taken for speech. */
const BURST_FRAMES = 60 / FRAME_MS;

/** Used by all voices of a thread in turn. */
const powers = new Float64Array(BANDS);

/**
 * Tells the speech of one voice from noise, of whatever level and colour: it is louder than the tracked floor, and has
 * vowels. The floor is unknown for 1.6 s after the noise has begun or become louder; until then vowels alone must do.
 * Every frame costs the same, and allocates nothing.
 */
export class SpeechInNoise {
  readonly #spectrum = new Spectrum();
  readonly #floor = new NoiseFloor();
  readonly #likelihood = new SpeechLikelihood();
  #periodicity = NOISE_PERIODICITY;
  #framesSinceVowel = Number.POSITIVE_INFINITY;
  #framesSinceSpeech = Number.POSITIVE_INFINITY;
  /** Frames of speech since it began. */
  #burst = 0;

  /** Whether the last frame was speech by itself. */
  get isVoiced(): boolean {
    return this.#framesSinceSpeech === 0;
  }

  /** Takes the next 20 ms at 8 kHz. Returns whether they, or those shortly before, are speech. */
  take(frame: Int16Array): boolean {
    this.#spectrum.take(frame);
    const spectrum = this.#spectrum.powers;
    bandPowers(spectrum, powers);
    const likelihood = this.#likelihood.take(powers, this.#floor.powers);
    this.#floor.take(powers);
    this.#periodicity = SMOOTHING * this.#periodicity + (1 - SMOOTHING) * periodicity(spectrum);
    this.#framesSinceVowel = this.#periodicity > VOWEL ? 0 : this.#framesSinceVowel + 1;
    return this.#hold(this.#isSpeech(likelihood));
  }

  #hold(isSpeech: boolean): boolean {
    const isHeld = this.#burst >= BURST_FRAMES && this.#framesSinceSpeech < HOLD_FRAMES - 1;
    this.#framesSinceSpeech = isSpeech ? 0 : this.#framesSinceSpeech + 1;
    if (isSpeech) this.#burst += 1;
    else if (!isHeld) this.#burst = 0;
    return isSpeech || isHeld;
  }

  #isSpeech(likelihood: number): boolean {
    if (likelihood <= LIKELY) return false;
    if (this.#framesSinceVowel < VOWEL_FRAMES) return true;
    return likelihood < DOUBTFUL && this.#periodicity > SOMEWHAT_PERIODIC;
  }
}
