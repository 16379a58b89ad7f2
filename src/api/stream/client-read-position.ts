import type { Clock } from '../../base/time.ts';

/**
 * Time up to which this thread has read incoming data. The event loop reads all ready sockets in one phase and then
 * runs `setImmediate` (libuv: poll, check), so data that arrived before one check has been read by the next. Without
 * this, a late thread would look like a client that answers late.
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

  /** In the clock's monotonic milliseconds. Advances only while it is called. */
  readUpToMs(): number {
    if (!this.#awaited) {
      this.#awaited = true;
      setImmediate(this.#check);
    }
    return this.#readUpToMs;
  }
}
