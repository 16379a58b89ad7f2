import type { VoiceDetector } from '../hearing/voice-detector.ts';
import { Fvad, type FvadRateHz } from './fvad.ts';
import { LevelGate } from './level-gate.ts';
import { type SpeechChange, SpeechTurns, type TurnTimes } from './speech-turns.ts';

export interface VoiceActivityOptions extends TurnTimes {
  readonly rateHz: FvadRateHz;
}

/**
 * When somebody starts and stops speaking. Neither noise on the line counts nor the echo of what was sent to them.
 * Memory is allocated only by the constructor.
 */
export class VoiceActivity implements VoiceDetector {
  readonly #detector: Fvad;
  readonly #gate = new LevelGate();
  readonly #turns: SpeechTurns;
  #isSpeech = false;
  #isHeard = false;

  constructor({ rateHz, ...times }: VoiceActivityOptions) {
    this.#detector = new Fvad(rateHz);
    this.#turns = new SpeechTurns(times);
  }

  get isSpeaking(): boolean {
    return this.#turns.isSpeaking;
  }

  /** Whether the last frame was speech, and loud enough by itself. */
  get isVoiced(): boolean {
    return this.#isSpeech && this.#gate.isLoud;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  get isSending(): boolean {
    return this.#gate.isSending;
  }

  /** Takes the next 20 ms of the voice, silence included. Returns what changed with them. */
  hear(samples: Int16Array): SpeechChange | null {
    // Both adapt to every frame.
    this.#isSpeech = this.#detector.isVoiced(samples);
    const isAdmitted = this.#gate.admits(samples);
    this.#isHeard = this.#isSpeech && isAdmitted;
    return this.#turns.take(this.#isHeard);
  }

  /** See LevelGate. */
  sent(power: number): void {
    this.#gate.sent(power);
  }

  /** A voice that was not loud enough may be an echo, which a recognizer understands as well. */
  turn(state: SpeechChange): SpeechChange | null {
    const isBelieved = state === 'ended' || this.#gate.wasLoud;
    return isBelieved ? this.#turns.change(state) : null;
  }

  close(): void {
    this.#detector.close();
  }
}
