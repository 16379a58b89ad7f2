import { type Clock, pause } from '../../base/time.ts';

const SECOND_MS = 1_000;

/**
 * Requests to a platform that takes so many in a second. Each counts until a second after its answer. The platform gets it
 * between the two, so whenever its seconds begin, and however long requests are on their way, there are no more in any of them.
 */
export class RequestWindow {
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#free = most;
  }

  /** Requests that may be made now. */
  get free(): number {
    return this.#free;
  }

  /** Makes a request in its turn. Rejects with `late()` if the signal aborts before. */
  async run<T>(signal: AbortSignal, late: () => Error, request: () => Promise<T>): Promise<T> {
    if (!(await this.#turn(signal))) throw late();
    try {
      return await request();
    } finally {
      void this.#leave();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Resolves with whether it has come in time. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = () => resolve(true);
    const giveUp = () => {
      if (this.#waiting.delete(begin)) resolve(false);
    };
    this.#waiting.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
    const hasCome = await promise;
    signal.removeEventListener('abort', giveUp);
    return hasCome;
  }

  async #leave(): Promise<void> {
    await pause(this.#clock, SECOND_MS, this.#closing.signal);
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
