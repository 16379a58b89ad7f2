import { Spread } from '../../../base/spread.ts';

/** Counts requests in flight, so that a closing server can let them finish. */
export class Traffic {
  /** Requests that were cut because their body came in too many pieces. */
  fragmented = 0;
  /** What is left to do for clients that have gone, of which thousands may go at one moment. */
  readonly departures = new Spread();
  #inFlight = 0;
  #closing = false;
  #idle = Promise.withResolvers<void>();

  /** True once the server has stopped accepting connections; answers then close theirs. */
  get closing(): boolean {
    return this.#closing;
  }

  begin(): void {
    this.#inFlight += 1;
  }

  finish(): void {
    this.#inFlight -= 1;
    if (this.#closing && this.#inFlight === 0) this.#idle.resolve();
  }

  /** Resolves when no request is in flight, or after the deadline. */
  async drain(deadlineMs: number): Promise<void> {
    this.#closing = true;
    if (this.#inFlight === 0) this.#idle.resolve();
    const deadline = setTimeout(this.#idle.resolve, deadlineMs);
    await this.#idle.promise;
    clearTimeout(deadline);
  }
}
