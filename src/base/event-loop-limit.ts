/**
 * Spreads simultaneous work over iterations of the event loop. SQLite queries answer synchronously, so a thousand
 * concurrent requests would otherwise run in a single iteration, and calls would have to wait for its end.
 */
export class EventLoopLimit {
  readonly #perIteration: number;
  readonly #waiting: (() => void)[] = [];
  #entered = 0;
  #isScheduled = false;

  constructor(perIteration: number) {
    this.#perIteration = perIteration;
  }

  /** Resolves when the caller may continue: immediately or in a later iteration, in call order. */
  enter(): Promise<void> {
    this.#schedule();
    if (this.#waiting.length === 0 && this.#entered < this.#perIteration) {
      this.#entered += 1;
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const released = this.#waiting.splice(0, this.#perIteration);
      this.#entered = released.length;
      if (this.#entered > 0) this.#schedule();
      for (const resolve of released) resolve();
    });
  }
}
