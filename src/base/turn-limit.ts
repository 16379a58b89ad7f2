/**
 * Spreads simultaneous work over turns of the event loop. SQLite queries answer synchronously, so a thousand concurrent
 * requests would otherwise run in a single turn, and calls would have to wait for its end.
 */
export class TurnLimit {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #entered = 0;
  #isScheduled = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Resolves when the caller may continue: immediately or in a later turn, in call order. */
  enter(): Promise<void> {
    this.#schedule();
    if (this.#waiting.length === 0 && this.#entered < this.#perTurn) {
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
      const released = this.#waiting.splice(0, this.#perTurn);
      this.#entered = released.length;
      if (this.#entered > 0) this.#schedule();
      for (const resolve of released) resolve();
    });
  }
}
