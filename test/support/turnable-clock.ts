import { type Clock, systemClock } from '../../src/base/time.ts';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A clock that runs like any other and can be turned forward: what is due by then happens at once. */
export class TurnableClock implements Clock {
  readonly #timers = new Set<Timer>();
  #aheadMs = 0;

  nowIso(): string {
    return new Date(Date.now() + this.#aheadMs).toISOString();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }

  after(delayMs: number, action: () => void): () => void {
    const cancel = () => {
      cancelReal();
      this.#timers.delete(timer);
    };
    const run = () => {
      cancel();
      action();
    };
    const timer = { dueMs: this.monotonicMs() + delayMs, run };
    const cancelReal = systemClock.after(delayMs, run);
    this.#timers.add(timer);
    return cancel;
  }

  /** Lets `durationMs` pass; timers run in their order. */
  turn(durationMs: number): void {
    this.#aheadMs += durationMs;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.monotonicMs());
    for (const timer of due.sort((a, b) => a.dueMs - b.dueMs)) if (this.#timers.has(timer)) timer.run();
  }
}
