import type { Clock } from '../../src/base/time.ts';

/** A clock that stands still until a test turns it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Map<symbol, { readonly atMs: number; readonly action: () => void }>();

  nowIso(): string {
    return new Date(Date.UTC(2030, 0, 1) + this.#nowMs).toISOString();
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): () => void {
    const key = Symbol();
    this.#timers.set(key, { atMs: this.#nowMs + delayMs, action });
    return () => this.#timers.delete(key);
  }

  /** How long until the next timer. Infinity if there is none. */
  get restMs(): number {
    return Math.min(...[...this.#timers.values()].map(({ atMs }) => atMs)) - this.#nowMs;
  }

  /** Lets `durationMs` pass; timers run in their order, at their own time. */
  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const due = [...this.#timers]
        .filter(([, timer]) => timer.atMs <= untilMs)
        .sort(([, a], [, b]) => a.atMs - b.atMs)[0];
      if (!due) break;
      const [key, timer] = due;
      this.#timers.delete(key);
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
}
