import type { CancelTimer, Clock } from '../../base/time.ts';

/** A signal that aborts after some time of a clock, or together with another one; to be closed when it is over. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  readonly #cancelTimer: CancelTimer;

  constructor(clock: Clock, durationMs: number, outer?: AbortSignal) {
    this.#outer = outer;
    this.#cancelTimer = clock.after(durationMs, this.#abort);
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on only the other signal counts. */
  lift(): void {
    this.#cancelTimer();
  }

  /** Lets go of timer and signal; safe to call twice. */
  close(): void {
    this.#cancelTimer();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
