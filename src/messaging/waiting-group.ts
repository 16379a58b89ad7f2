import type { Delta } from './inbox-delta.ts';

/** One request that waits for news. */
export interface Waiter {
  readonly credentialId: string;
  resolve(delta: Delta): void;
  reject(error: unknown): void;
}

/** Requests that wait with the same question: they look together, and what one hears all hear. */
export class WaitingGroup {
  readonly #read: () => Promise<Delta>;
  readonly #waiters = new Set<Waiter>();
  #isReading = false;
  /** Something may have happened since the last reading began. */
  #isStale = false;
  /** What was read last, and had no news in it. */
  #last: Delta | null = null;

  constructor(read: () => Promise<Delta>) {
    this.#read = read;
  }

  get size(): number {
    return this.#waiters.size;
  }

  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.look();
  }

  /** False: it had its answer already. */
  remove(waiter: Waiter): boolean {
    return this.#waiters.delete(waiter);
  }

  /** Looks for news, once more where it is looking already. */
  look(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readOn();
  }

  /** Ends one request's waiting: it hears what there is, which is no news. */
  expire(waiter: Waiter): void {
    if (!this.remove(waiter)) return;
    if (this.#last !== null) waiter.resolve(this.#last);
    else this.#read().then(waiter.resolve, waiter.reject);
  }

  /** Ends the waiting of all that a test is true of. */
  expireWhere(test: (waiter: Waiter) => boolean): void {
    for (const waiter of [...this.#waiters]) if (test(waiter)) this.expire(waiter);
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && this.#waiters.size > 0) {
        this.#isStale = false;
        const delta = await this.#read();
        if (delta.hasNews) this.#takeAll((waiter) => waiter.resolve(delta));
        else this.#last = delta;
      }
    } catch (error) {
      this.#takeAll((waiter) => waiter.reject(error));
    } finally {
      this.#isReading = false;
    }
  }

  #takeAll(tell: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) tell(waiter);
  }
}
