import { servedAccount } from '../../base/on-behalf.ts';
import { type Clock, pause } from '../../base/time.ts';

const SECOND_MS = 1_000;

/**
 * Requests to a platform that takes so many in a second. Each counts until a second after its answer. The platform gets it
 * between the two, so whenever its seconds begin, and however long requests are on their way, there are no more in any of them.
 * Accounts that share a bot take turns, so that whoever asks for one thing does not wait behind a thousand of another's.
 */
export class RequestWindow {
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  /** By the account on whose behalf they wait. The one whose turn it is stands first. */
  readonly #waiting = new Map<string, Set<() => void>>();
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
    const owner = servedAccount() ?? '';
    const begin = () => resolve(true);
    const giveUp = () => {
      const waiting = this.#waiting.get(owner);
      if (!waiting?.delete(begin)) return;
      if (waiting.size === 0) this.#waiting.delete(owner);
      resolve(false);
    };
    const others = this.#waiting.get(owner);
    if (others === undefined) this.#waiting.set(owner, new Set([begin]));
    else others.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
    const hasCome = await promise;
    signal.removeEventListener('abort', giveUp);
    return hasCome;
  }

  async #leave(): Promise<void> {
    await pause(this.#clock, SECOND_MS, this.#closing.signal);
    const next = this.#next();
    if (next === null) this.#free += 1;
    else next();
  }

  #next(): (() => void) | null {
    const [first] = this.#waiting;
    if (first === undefined) return null;
    const [owner, waiting] = first;
    const next = waiting.values().next().value!;
    waiting.delete(next);
    this.#waiting.delete(owner);
    if (waiting.size > 0) this.#waiting.set(owner, waiting);
    return next;
  }
}
