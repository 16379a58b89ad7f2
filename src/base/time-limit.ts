import type { CancelTimer, Clock } from './time.ts';

export interface TimeLimitOptions {
  /** Aborts the limit's signal as well, without passing on its reason. */
  readonly outer?: AbortSignal | undefined;
  /** Abort reason when the time is over. An AbortError by default. */
  readonly reason?: Error;
}

/** A signal that aborts after a duration or together with an outer signal. Call `close` when it is no longer needed. */
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

  /** Removes the time limit. From now on only the outer signal aborts. */
  lift(): void {
    this.#cancelTimer();
  }

  /** Releases the timer and the outer signal. Safe to call twice. */
  close(): void {
    this.#cancelTimer();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
