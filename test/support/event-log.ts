import { within } from './wait-for.ts';

interface Waiter<T> {
  readonly matches: (event: T) => boolean;
  readonly resolve: (event: T) => void;
}

/** Everything a peer has reported, in order; a test may ask for an event before or after it happened. */
export class EventLog<T> {
  readonly #events: T[] = [];
  readonly #waiters = new Set<Waiter<T>>();
  #readTo = 0;

  push(event: T): void {
    this.#events.push(event);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue;
      this.#waiters.delete(waiter);
      this.#readTo = this.#events.length;
      waiter.resolve(event);
    }
  }

  get all(): readonly T[] {
    return this.#events;
  }

  /** The next matching event after the last one that was waited for. */
  async next(what: string, matches: (event: T) => boolean, deadlineMs?: number): Promise<T> {
    const index = this.#events.findIndex((event, at) => at >= this.#readTo && matches(event));
    if (index >= 0) {
      this.#readTo = index + 1;
      return this.#events[index] as T;
    }
    let waiter: Waiter<T> | undefined;
    const found = new Promise<T>((resolve) => {
      waiter = { matches, resolve };
      this.#waiters.add(waiter);
    });
    try {
      return await within(what, found, deadlineMs);
    } catch (error) {
      if (waiter !== undefined) this.#waiters.delete(waiter);
      throw new Error(`${(error as Error).message}; told so far: ${JSON.stringify(this.#events.slice(-20))}`);
    }
  }
}
