/**
 * Spreads simultaneous work over iterations of the event loop. SQLite queries answer synchronously, so a thousand
 * concurrent requests would otherwise run in a single iteration, and calls would have to wait for its end. Owners take
 * turns, so that whoever asks for one thing does not wait behind a thousand of somebody else's.
 */
export class EventLoopLimit {
  readonly #perIteration: number;
  /** By owner. The one whose turn it is stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #entered = 0;
  #isScheduled = false;

  constructor(perIteration: number) {
    this.#perIteration = perIteration;
  }

  /** Resolves when the caller may continue: immediately or in a later iteration, in the order of the owner's calls. */
  enter(owner = ''): Promise<void> {
    this.#schedule();
    if (this.#waiting.size === 0 && this.#entered < this.#perIteration) {
      this.#entered += 1;
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(owner);
    if (others === undefined) this.#waiting.set(owner, [resolve]);
    else others.push(resolve);
    return promise;
  }

  #next(): (() => void) | null {
    for (const [owner, waiting] of this.#waiting) {
      const next = waiting.shift()!;
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      return next;
    }
    return null;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#entered = 0;
      for (; this.#entered < this.#perIteration; this.#entered++) {
        const resolve = this.#next();
        if (resolve === null) break;
        resolve();
      }
      if (this.#entered > 0) this.#schedule();
    });
  }
}
