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
export class VoiceActivity {
  readonly #detector: Fvad;
  readonly #gate = new LevelGate();
  readonly #turns: SpeechTurns;
  #isVoiced = false;

  constructor({ rateHz, ...times }: VoiceActivityOptions) {
    this.#detector = new Fvad(rateHz);
    this.#turns = new SpeechTurns(times);
  }

  get isSpeaking(): boolean {
    return this.#turns.isSpeaking;
  }

  /** Whether the last frame was speech, and loud enough by itself. */
  get isVoiced(): boolean {
    return this.#isVoiced;
  }

  /** Takes the next 20 ms of the voice, silence included. Returns what changed with them. */
  hear(samples: Int16Array): SpeechChange | null {
    // Both adapt to every frame.
    const isSpeech = this.#detector.isVoiced(samples);
    const isAdmitted = this.#gate.admits(samples);
    this.#isVoiced = isSpeech && this.#gate.isLoud;
    return this.#turns.take(isSpeech && isAdmitted);
  }

  /** Takes the 20 ms that are sent to the voice at the same time, at any rate. Silence may be left out. */
  sent(samples: Int16Array): void {
    this.#gate.sent(samples);
  }

  close(): void {
    this.#detector.close();
  }
}
