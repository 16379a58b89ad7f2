import type { Clock } from '../../src/base/time.ts';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/** A clock that stands still until a test turns it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  nowIso(): string {
    return new Date(Date.UTC(2030, 0, 1) + this.#nowMs).toISOString();
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How long until the next timer. Infinity if there is none. */
  get restMs(): number {
    return (this.#next()?.atMs ?? Number.POSITIVE_INFINITY) - this.#nowMs;
  }

  /** Lets `durationMs` pass; timers run in their order, at their own time. */
  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const timer = this.#next();
      if (timer === null || timer.atMs > untilMs) break;
      this.#timers.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      timer.action();
    }
    this.#nowMs = untilMs;
  }

  /** Lets `durationMs` pass at once, as over a sleep: what was due meanwhile runs now, each timer once. */
  leap(durationMs: number): void {
    this.#nowMs += durationMs;
    this.advance(0);
  }

  /** The timer that is due first, of several the one that was set first. Null if there is none. */
  #next(): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) if (next === null || timer.atMs < next.atMs) next = timer;
    return next;
  }
}
