import { Resampler } from '../../audio/resampler.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import type { VoiceDetector } from '../hearing/voice-detector.ts';
import { Fvad, type FvadRateHz } from './fvad.ts';
import { LevelGate } from './level-gate.ts';
import { NeuralVoice } from './neural-voice.ts';
import { SPECTRUM_RATE_HZ } from './spectrum.ts';
import { SpeechInNoise } from './speech-in-noise.ts';
import { type SpeechChange, SpeechTurns, type TurnTimes } from './speech-turns.ts';

/** A vendor tells that somebody speaks after this time at most. */
const RECENT_FRAMES = 500 / FRAME_MS;
/** libfvad drops out for a moment within words, even with little noise behind them. */
const DROPOUT_FRAMES = 100 / FRAME_MS;

export interface VoiceActivityOptions extends TurnTimes {
  readonly rateHz: FvadRateHz;
}

/**
 * When somebody starts and stops speaking. Neither steady noise counts, however loud, nor the echo of what was sent
 * to them. Memory is allocated only by the constructor.
 */
export class VoiceActivity implements VoiceDetector {
  readonly #detector: Fvad;
  /** Null: the voice has the rate already. */
  readonly #resampler: Resampler | null;
  readonly #speech = new SpeechInNoise();
  readonly #neural = new NeuralVoice();
  readonly #gate = new LevelGate();
  readonly #turns: SpeechTurns;
  #isVoiced = false;
  #framesSinceVoiced = Number.POSITIVE_INFINITY;
  /** Frames since libfvad heard a voice. */
  #framesSinceDetected = Number.POSITIVE_INFINITY;
  #isHeard = false;

  constructor({ rateHz, ...times }: VoiceActivityOptions) {
    this.#detector = new Fvad(rateHz);
    this.#resampler =
      rateHz === SPECTRUM_RATE_HZ ? null : new Resampler(rateHz, SPECTRUM_RATE_HZ, frameSamples(rateHz));
    this.#turns = new SpeechTurns(times);
  }

  get isSpeaking(): boolean {
    return this.#turns.isSpeaking;
  }

  /** Whether the last frame was speech, and loud enough by itself. */
  get isVoiced(): boolean {
    return this.#isVoiced;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  get isSending(): boolean {
    return this.#gate.isSending;
  }

  /** Takes the next 20 ms of the voice, silence included. Returns what changed with them. */
  hear(samples: Int16Array): SpeechChange | null {
    // All adapt to every frame.
    const isDetected = this.#detector.isVoiced(samples);
    const narrow = this.#resampler?.process(samples, samples.length) ?? samples;
    const isSpeech = this.#speech.take(narrow);
    const isVoice = this.#neural.take(narrow, isSpeech);
    const isAdmitted = this.#gate.admits(samples);
    this.#framesSinceDetected = isDetected ? 0 : this.#framesSinceDetected + 1;
    this.#isHeard = isVoice && this.#framesSinceDetected < DROPOUT_FRAMES && isSpeech && isAdmitted;
    this.#isVoiced = this.#isHeard && isDetected && this.#speech.isVoiced && this.#gate.isLoud;
    this.#framesSinceVoiced = this.#isVoiced ? 0 : this.#framesSinceVoiced + 1;
    return this.#turns.take(this.#isHeard);
  }

  /** See LevelGate. */
  sent(power: number): void {
    this.#gate.sent(power);
  }

  /** A voice that was not loud enough may be an echo, which a recognizer understands as well. */
  turn(state: SpeechChange): SpeechChange | null {
    const isBelieved = state === 'ended' || this.#framesSinceVoiced <= RECENT_FRAMES;
    return isBelieved ? this.#turns.change(state) : null;
  }

  close(): void {
    this.#detector.close();
  }
}
