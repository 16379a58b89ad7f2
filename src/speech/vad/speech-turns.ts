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

  /** Somebody else knows better. Returns what changed with that. */
  change(state: SpeechChange): SpeechChange | null {
    if (this.#isSpeaking === (state === 'started')) return null;
    return state === 'started' ? this.#start() : this.#end();
  }

  #quiet(isVoiced: boolean): SpeechChange | null {
    this.#voicedMs = Math.max(0, this.#voicedMs + (isVoiced ? FRAME_MS : -FRAME_MS));
    if (this.#voicedMs < this.#times.startAfterMs || this.#voicedMs === 0) return null;
    return this.#start();
  }

  #speaking(isVoiced: boolean): SpeechChange | null {
    this.#unvoicedMs = isVoiced ? 0 : this.#unvoicedMs + FRAME_MS;
    if (this.#unvoicedMs < this.#times.endAfterMs || isVoiced) return null;
    return this.#end();
  }

  #start(): 'started' {
    this.#isSpeaking = true;
    this.#unvoicedMs = 0;
    return 'started';
  }

  #end(): 'ended' {
    this.#isSpeaking = false;
    this.#voicedMs = 0;
    return 'ended';
  }
}
