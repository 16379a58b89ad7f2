import { FRAME_MS } from '../../base/frame.ts';

export interface TurnTimes {
  /** Voiced time before speech counts as started. Unvoiced frames in between count against it. */
  readonly startAfterMs: number;
  /** Unvoiced time in a row before speech counts as ended. */
  readonly endAfterMs: number;
}

export type SpeechChange = 'started' | 'ended';

/** Turns decisions about single frames into the start and end of speech. */
export class SpeechTurns {
  readonly #times: TurnTimes;
  #isSpeaking = false;
  #voicedMs = 0;
  #unvoicedMs = 0;

  constructor(times: TurnTimes) {
    this.#times = times;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Takes the next 20 ms. Returns what changed with them. */
  take(isVoiced: boolean): SpeechChange | null {
    return this.#isSpeaking ? this.#speaking(isVoiced) : this.#quiet(isVoiced);
  }

  #quiet(isVoiced: boolean): SpeechChange | null {
    this.#voicedMs = Math.max(0, this.#voicedMs + (isVoiced ? FRAME_MS : -FRAME_MS));
    if (this.#voicedMs < this.#times.startAfterMs || this.#voicedMs === 0) return null;
    this.#isSpeaking = true;
    this.#unvoicedMs = 0;
    return 'started';
  }

  #speaking(isVoiced: boolean): SpeechChange | null {
    this.#unvoicedMs = isVoiced ? 0 : this.#unvoicedMs + FRAME_MS;
    if (this.#unvoicedMs < this.#times.endAfterMs || isVoiced) return null;
    this.#isSpeaking = false;
    this.#voicedMs = 0;
    return 'ended';
  }
}
