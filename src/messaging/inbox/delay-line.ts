import type { CancelTimer, Clock } from '../../base/time.ts';

/**
 * Calls `onDue` for each key a fixed delay after it was last put in. The delay is the same for all keys, so keys become
 * due in insertion order and one timer serves them all.
 */
export class DelayLine {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #onDue: (key: string) => void;
  /** In the order in which they become due. */
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

  /** Adds a key, or restarts its delay. */
  put(key: string): void {
    this.#dueMs.delete(key);
    this.#dueMs.set(key, this.#clock.monotonicMs() + this.#delayMs);
    this.#wind();
  }

  /** Returns false if the key was not there. */
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

  /** The timer may have been set for a key that has since been removed. */
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
