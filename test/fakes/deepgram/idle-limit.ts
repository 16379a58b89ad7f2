import type { Clock } from '../../../src/base/time.ts';

const IDLE_MS = 10_000;

/** Ends a connection without audio. */
export class IdleLimit {
  readonly #clock: Clock;
  readonly #end: () => void;
  #cancel: () => void;

  constructor(clock: Clock, end: () => void) {
    this.#clock = clock;
    this.#end = end;
    this.#cancel = clock.after(IDLE_MS, end);
  }

  restart(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(IDLE_MS, this.#end);
  }

  stop(): void {
    this.#cancel();
  }
}
