import type { Clock } from '../../base/time.ts';

/**
 * Up to when this thread has read what arrived. Its event loop takes what waits in all sockets in one phase, and then
 * comes to `setImmediate` (libuv: poll, check): what had arrived at one check has been read at the next. A thread that
 * is late reads late; whoever judges a client by its answers must not take the one for the other.
 */
export class ClientReadPosition {
  readonly #clock: Clock;
  readonly #check = (): void => {
    this.#readUpToMs = this.#checkedAtMs;
    this.#checkedAtMs = this.#clock.monotonicMs();
    this.#awaited = false;
  };
  #readUpToMs = Number.NEGATIVE_INFINITY;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #awaited = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** On the clock's monotonic scale; only moves while it is asked for. */
  readUpToMs(): number {
    if (!this.#awaited) {
      this.#awaited = true;
      setImmediate(this.#check);
    }
    return this.#readUpToMs;
  }
}
