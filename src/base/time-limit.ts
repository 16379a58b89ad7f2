import type { CancelTimer, Clock } from './time.ts';

export interface TimeLimitOptions {
  /** Aborts the limit's signal, too, and keeps its reason to itself. */
  readonly outer?: AbortSignal | undefined;
  /** Why the signal aborts when the time is over; an AbortError when absent. */
  readonly reason?: Error;
}

/** A signal that aborts after some time of a clock, or together with another one; to be closed when it is over. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  readonly #cancelTimer: CancelTimer;

  constructor(clock: Clock, durationMs: number, { outer, reason }: TimeLimitOptions = {}) {
    this.#outer = outer;
    this.#cancelTimer = clock.after(durationMs, () => this.#controller.abort(reason));
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on only the outer signal counts. */
  lift(): void {
    this.#cancelTimer();
  }

  /** Lets go of timer and outer signal; safe to call twice. */
  close(): void {
    this.#cancelTimer();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
