import type { Delta } from './inbox-delta.ts';

/** A pending long-poll request. */
export interface Waiter {
  readonly credentialId: string;
  resolve(delta: Delta): void;
  reject(error: unknown): void;
}

/** Long-polls with the same question. They share one read and get the same answer. */
export class LongPollGroup {
  /** The agents whose news these requests wait for. */
  readonly agentIds: readonly string[];
  readonly #read: () => Promise<Delta>;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;
  /** Read again: news may have arrived since the current read began. */
  #mustLook = false;
  /** The last result, which contained no news. Null: something has changed since. */
  #last: Delta | null = null;
  /** The read shared by requests that have expired. */
  #farewell: Promise<Delta> | null = null;

  constructor(agentIds: readonly string[], read: () => Promise<Delta>) {
    this.agentIds = agentIds;
    this.#read = read;
  }

  get size(): number {
    return this.#waiters.size;
  }

  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.look();
  }

  /** Drops the last result: something changed that is no news for this group. */
  forget(): void {
    this.#last = null;
  }

  /** Reads news. If a read is running, another one follows it. */
  look(): void {
    this.#mustLook = true;
    if (!this.#isLooking) void this.#lookOn();
  }

  /** Ends one request with the current state, which contains no news. */
  expire(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    if (this.#last !== null) waiter.resolve(this.#last);
    else this.#readFarewell().then(waiter.resolve, waiter.reject);
  }

  /** Ends all requests that match. */
  expireWhere(test: (waiter: Waiter) => boolean): void {
    for (const waiter of [...this.#waiters]) if (test(waiter)) this.expire(waiter);
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#mustLook && this.#waiters.size > 0) {
        this.#mustLook = false;
        const delta = await this.#read();
        if (delta.hasNews) this.#takeAll((waiter) => waiter.resolve(delta));
        else this.#last = delta;
      }
    } catch (error) {
      this.#takeAll((waiter) => waiter.reject(error));
    } finally {
      this.#isLooking = false;
    }
  }

  async #readFarewell(): Promise<Delta> {
    this.#farewell ??= this.#read().finally(() => {
      this.#farewell = null;
    });
    return await this.#farewell;
  }

  #takeAll(tell: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) tell(waiter);
  }
}
