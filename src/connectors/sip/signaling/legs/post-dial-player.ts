import { match } from '../../../../base/match.ts';
import { POST_DIAL_WAIT_MS, type PostDialStep } from '../../../../base/post-dial.ts';
import type { Termination } from '../../../../base/termination.ts';
import { type Clock, pause, settledWithin } from '../../../../base/time.ts';

/** An answered call, as seen by who presses its keys. */
export interface PostDialLine {
  /** Resolves with the first RTP packet of the peer. */
  readonly flowing: Promise<void>;
  /** Resolves after the last key and the pause behind it. Rejects when the keys cannot be pressed. */
  press(keys: string): Promise<void>;
  /** Resolves once the peer has finished speaking, but after at most so many milliseconds. */
  silence(mostMs: number): Promise<void>;
}

/** A menu says nothing to us while its audio cannot reach us, but not every menu speaks first. */
const FIRST_PACKET_DEADLINE_MS = 5_000;
/** A menu that still listens takes what is said for noise, and one that has let us in announces us. */
const AFTER_LAST_KEY_MS = 1_000;
/** Menus repeat their question, and hang up when nobody answers it. */
const REFUSAL_MS = 20_000;

const UNTRIED: Termination = { result: 'failed', reason: 'the far end hung up before a key was pressed' };
const REFUSED: Termination = { result: 'failed', reason: 'the meeting refused the id or passcode' };

/** Presses the keys of a dial string on a call that has just been answered, and knows what a hang-up then means. */
export class PostDialPlayer {
  readonly #steps: readonly PostDialStep[];
  readonly #line: PostDialLine;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #hasBegun = false;
  /** When the last step was taken; later than ever until then. */
  #doneMs = Number.POSITIVE_INFINITY;

  constructor(steps: readonly PostDialStep[], line: PostDialLine, clock: Clock) {
    this.#steps = steps;
    this.#line = line;
    this.#clock = clock;
  }

  /** Resolves a second after the last key, or soon after `stop`. Rejects when keys cannot be pressed. */
  async play(): Promise<void> {
    const { signal } = this.#stop;
    await settledWithin(this.#clock, FIRST_PACKET_DEADLINE_MS, [this.#line.flowing]);
    for (const step of this.#steps) {
      if (signal.aborted) return;
      await this.#take(step);
    }
    this.#doneMs = this.#clock.monotonicMs();
    await pause(this.#clock, AFTER_LAST_KEY_MS, signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Returns why the call is over when the peer hangs up now: a menu that lets nobody in says no more than that. */
  hungUp(termination: Termination): Termination {
    if (!this.#hasBegun) return UNTRIED;
    return this.#clock.monotonicMs() - this.#doneMs < REFUSAL_MS ? REFUSED : termination;
  }

  async #take(step: PostDialStep): Promise<void> {
    return match(step, 'type', {
      pause: (step) => pause(this.#clock, step.pauseMs, this.#stop.signal),
      wait: () => this.#line.silence(POST_DIAL_WAIT_MS),
      keys: (step) => {
        this.#hasBegun = true;
        return this.#line.press(step.keys);
      },
    });
  }
}
