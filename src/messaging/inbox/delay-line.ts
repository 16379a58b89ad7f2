import type { CancelTimer, Clock } from '../../base/time.ts';

/**
 * Calls back for each key some time after it was put in last. All keys wait equally long, so that the first one in is the
 * first one due, and one timer serves them all.
 */
export class DelayLine {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #onDue: (key: string) => void;
  /** In the order in which they are due. */
  readonly #dueMs = new Map<string, number>();
  #cancel: CancelTimer | null = null;

  constructor(clock: Clock, delayMs: number, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#dueMs.size;
  }

  has(key: string): boolean {
    return this.#dueMs.has(key);
  }

  /** Puts a key in, or lets it wait anew. */
  put(key: string): void {
    this.#dueMs.delete(key);
    this.#dueMs.set(key, this.#clock.monotonicMs() + this.#delayMs);
    this.#wind();
  }

  /** False: it was not in. */
  remove(key: string): boolean {
    return this.#dueMs.delete(key);
  }

  /** Forgets all keys. */
  close(): void {
    this.#dueMs.clear();
    this.#cancel?.();
    this.#cancel = null;
  }

  #wind(): void {
    const first = this.#dueMs.values().next();
    if (this.#cancel !== null || first.done) return;
    this.#cancel = this.#clock.after(Math.max(0, first.value - this.#clock.monotonicMs()), () => this.#run());
  }

  /** A timer may have been set for a key that is gone. */
  #run(): void {
    this.#cancel = null;
    const nowMs = this.#clock.monotonicMs();
    for (const [key, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) break;
      this.#dueMs.delete(key);
      this.#onDue(key);
    }
    this.#wind();
  }
}
