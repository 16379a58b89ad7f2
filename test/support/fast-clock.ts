import type { Clock } from '../../src/base/time.ts';

/** A clock that runs several times as fast, for tests that would take minutes. */
export class FastClock implements Clock {
  readonly #speed: number;

  constructor(speed: number) {
    this.#speed = speed;
  }

  nowIso(): string {
    return new Date(performance.timeOrigin + this.monotonicMs()).toISOString();
  }

  monotonicMs(): number {
    return performance.now() * this.#speed;
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = setTimeout(action, delayMs / this.#speed);
    return () => clearTimeout(timer);
  }

  /** Resolves at this time. */
  at(monotonicMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.after(Math.max(0, monotonicMs - this.monotonicMs()), resolve);
    return promise;
  }
}
