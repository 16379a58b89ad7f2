import type { Delta } from './inbox-delta.ts';

/** One request that waits for news. */
export interface Waiter {
  readonly credentialId: string;
  resolve(delta: Delta): void;
  reject(error: unknown): void;
}

/** Requests that wait with the same question: they look together, and what one hears all hear. */
export class LongPollGroup {
  /** Whose news they wait for. */
  readonly agentIds: readonly string[];
  readonly #read: () => Promise<Delta>;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;
  /** Looks once more, because there may be news since the last reading began. */
  #mustLook = false;
  /** What was read last, and had no news in it; null: something has changed since. */
  #last: Delta | null = null;
  /** What those read together whose time is over. */
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

  /** Something has changed that is no news to these. */
  forget(): void {
    this.#last = null;
  }

  /** Looks for news, once more where it is looking already. */
  look(): void {
    this.#mustLook = true;
    if (!this.#isLooking) void this.#lookOn();
  }

  /** Ends one request's waiting: it hears what there is, which is no news. */
  expire(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    if (this.#last !== null) waiter.resolve(this.#last);
    else this.#readFarewell().then(waiter.resolve, waiter.reject);
  }

  /** Ends the waiting of all that a test is true of. */
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
