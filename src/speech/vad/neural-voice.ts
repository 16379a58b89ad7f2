import { framePower } from '../../audio/frame-power.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { loadSilero, type NativeSilero } from '../../native/silero.ts';
import { SPECTRUM_RATE_HZ } from './spectrum.ts';

/** What the network looks at at once: 32 ms. */
const WINDOW = 256;
const CAPACITY = WINDOW + frameSamples(SPECTRUM_RATE_HZ);
/** Probability above which a voice begins. */
const LIKELY = 0.5;
/** Probability above which it goes on. */
const POSSIBLE = 0.3;
/** It goes on for so long without: consonants, and pauses between words. */
const HOLD_FRAMES = 200 / FRAME_MS;
/** Nobody speaks more quietly: −60 dBFS. What is silent, such as somebody who is muted, costs nothing. */
const AUDIBLE_POWER = 1e-6;

/** After so long without anything like speech, it forgets: minutes of music would make it deaf to short words. */
const FORGET_FRAMES = 2_000 / FRAME_MS;

let silero: NativeSilero | string | null = null;

/** This thread tells voices from noise without the network from now on. */
export function leaveOutNeuralVoice(): void {
  silero = 'SVC_NEURAL_VOICE is off';
}

/** Why this thread tells voices from noise without the network; null if it has it. */
export function noNeuralVoice(): string | null {
  silero ??= loadSilero();
  return typeof silero === 'string' ? silero : null;
}

/**
 * Whether a sound is a voice, by Silero's network: music and tones are not. It needs what was before a sound, so it
 * hears whatever is audible. 13 µs a frame.
 * Without the addon, everything is a voice.
 */
export class NeuralVoice {
  readonly #network: NativeSilero | null;
  readonly #state: Float32Array;
  /** Samples that the network has not seen. */
  readonly #samples = new Int16Array(CAPACITY);
  #count = 0;
  #isVoice = false;
  #framesSinceVoice = Number.POSITIVE_INFINITY;
  /** Frames since anything was like speech. */
  #quietFrames = 0;

  constructor() {
    this.#network = noNeuralVoice() === null ? (silero as NativeSilero) : null;
    this.#state = new Float32Array(this.#network?.stateLength ?? 0);
  }

  /**
   * Takes the next 20 ms at 8 kHz. `isLikeSpeech`: they may be a voice. Returns whether they, or those shortly before, are
   * one.
   */
  take(frame: Int16Array, isLikeSpeech: boolean): boolean {
    if (this.#network === null) return true;
    this.#quietFrames = isLikeSpeech ? 0 : this.#quietFrames + 1;
    if (this.#quietFrames === FORGET_FRAMES) this.#state.fill(0);
    if (framePower(frame) > AUDIBLE_POWER) this.#hear(frame, this.#network);
    else this.#isVoice = false;
    this.#framesSinceVoice = this.#isVoice ? 0 : this.#framesSinceVoice + 1;
    return this.#framesSinceVoice < HOLD_FRAMES;
  }

  #hear(frame: Int16Array, network: NativeSilero): void {
    this.#samples.set(frame, this.#count);
    this.#count += frame.length;
    if (this.#count < WINDOW) return;
    this.#isVoice = network.probability(this.#state, this.#samples) > (this.#isVoice ? POSSIBLE : LIKELY);
    this.#samples.copyWithin(0, WINDOW, this.#count);
    this.#count -= WINDOW;
  }
}
