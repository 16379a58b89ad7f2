import { FRAME_MS } from '../../base/frame.ts';
import type { Interruption } from './interruption.ts';

/** Who has spoken for so long over an utterance makes it pause. */
const NOTICED_MS = 100;
/** Who speaks for longer wants the turn, unless the preset says otherwise. */
const LEAST_TURN_MS = 700;
/** A shorter pause counts as speech. */
const SHORT_PAUSE_MS = 160;
/** For so long after the voice, its words are waited for. */
const WORDS_MS = 800;
/** An utterance is never held for longer. */
const LONGEST_HOLD_MS = 3_000;
/** Words that come within this time after the utterance has gone on still stop it. */
const LATE_MS = 3_000;

/** What becomes of the utterance that a voice speaks over. */
export type Verdict = 'pause' | 'resume' | 'stop';

/**
 * Tells an interruption from what a listener says without wanting the turn: mm-hm, a cough. The utterance pauses at once,
 * and goes on unless the voice is long or says something.
 */
export class Interjection {
  readonly #leastMs: number;
  readonly #backchannels: Interruption['backchannels'];
  #voicedMs = 0;
  #silentMs = 0;
  /** Null: nothing is held. */
  #heldMs: number | null = null;
  #sinceResumedMs = Number.POSITIVE_INFINITY;
  /** Where it began in the voice's audio, in ms. */
  #fromMs = 0;

  constructor({ leastMs, backchannels }: Pick<Interruption, 'leastMs' | 'backchannels'>) {
    this.#leastMs = leastMs ?? LEAST_TURN_MS;
    this.#backchannels = backchannels;
  }

  /**
   * Takes the next 20 ms of the voice, which end at `atMs` of its audio. `isOver`: something is played that can be heard.
   */
  take(isVoiced: boolean, isOver: boolean, atMs: number): Verdict | null {
    this.#sinceResumedMs += FRAME_MS;
    if (this.#heldMs === null && !isOver) this.#voicedMs = 0;
    else this.#count(isVoiced, atMs);
    return this.#heldMs === null ? this.#notice() : this.#judge(this.#heldMs + FRAME_MS);
  }

  /** The recognizer says that the voice has begun a turn, as of `atMs`. */
  begin(atMs: number): Verdict | null {
    if (this.#heldMs !== null) return null;
    this.#fromMs = Math.max(0, atMs - NOTICED_MS);
    return this.#hold();
  }

  /** Takes what is understood, and its end in the voice's audio, null if nobody knows it. */
  understood(text: string, isFinal: boolean, untilMs: number | null): Verdict | null {
    const isOfNow = untilMs === null || untilMs > this.#fromMs;
    const counts = this.#heldMs !== null || (isFinal && this.#sinceResumedMs < LATE_MS);
    if (!isOfNow || !counts) return null;
    if (!this.#backchannels.has(text)) return this.#stop();
    return isFinal && this.#heldMs !== null ? this.#resume() : null;
  }

  /** The utterance is over. */
  forget(): void {
    this.#voicedMs = 0;
    this.#silentMs = 0;
    this.#heldMs = null;
    this.#sinceResumedMs = Number.POSITIVE_INFINITY;
  }

  #count(isVoiced: boolean, atMs: number): void {
    if (!isVoiced) {
      this.#silentMs += FRAME_MS;
      if (this.#heldMs === null && this.#silentMs > SHORT_PAUSE_MS) this.#voicedMs = 0;
      return;
    }
    if (this.#voicedMs === 0) {
      if (this.#heldMs === null) this.#fromMs = atMs - FRAME_MS;
      this.#silentMs = 0;
    }
    this.#voicedMs += FRAME_MS + (this.#silentMs <= SHORT_PAUSE_MS ? this.#silentMs : 0);
    this.#silentMs = 0;
  }

  #notice(): Verdict | null {
    return this.#voicedMs >= NOTICED_MS ? this.#hold() : null;
  }

  #judge(heldMs: number): Verdict | null {
    this.#heldMs = heldMs;
    if (this.#voicedMs > this.#leastMs) return this.#stop();
    const isInVain = this.#silentMs >= WORDS_MS || heldMs >= LONGEST_HOLD_MS;
    return isInVain ? this.#resume() : null;
  }

  #hold(): 'pause' {
    this.#heldMs = 0;
    return 'pause';
  }

  #resume(): 'resume' {
    this.forget();
    this.#sinceResumedMs = 0;
    return 'resume';
  }

  #stop(): 'stop' {
    this.forget();
    return 'stop';
  }
}
