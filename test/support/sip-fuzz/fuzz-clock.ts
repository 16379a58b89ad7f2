import type { Clock } from '../../../src/base/time.ts';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/**
 * A clock that a test turns, for the connector and, in place of the global timers, for sip.js. Of many timers that
 * fall due in one turn it runs those first that were there first: what they start comes after them.
 */
export class FuzzClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Map<object, Timer>();
  readonly #real = { setTimeout, clearTimeout, setInterval, clearInterval };

  nowIso(): string {
    return new Date(Date.UTC(2030, 0, 1) + this.#nowMs).toISOString();
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  get timers(): number {
    return this.#timers.size;
  }

  after(delayMs: number, action: () => void): () => void {
    const handle = this.#start(delayMs, action);
    return () => this.#timers.delete(handle);
  }

  #start(delayMs: number, action: () => void): object {
    const handle = { unref: () => handle, ref: () => handle };
    this.#timers.set(handle, { atMs: this.#nowMs + delayMs, action });
    return handle;
  }

  install(): void {
    const stop = (handle: object): void => void this.#timers.delete(handle);
    const start = (action: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): object =>
      this.#start(delayMs, () => action(...args));
    const repeat = (action: () => void, delayMs = 0): object => {
      const handle = { unref: () => handle, ref: () => handle };
      const again = (): void => {
        const repeated = (): void => {
          again();
          action();
        };
        this.#timers.set(handle, { atMs: this.#nowMs + delayMs, action: repeated });
      };
      again();
      return handle;
    };
    Object.assign(globalThis, {
      setTimeout: start,
      clearTimeout: stop,
      setInterval: repeat,
      clearInterval: stop,
    });
  }

  uninstall(): void {
    Object.assign(globalThis, this.#real);
  }

  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const due = [...this.#timers].filter(([, { atMs }]) => atMs <= untilMs);
      if (due.length === 0) break;
      due.sort(([, one], [, other]) => one.atMs - other.atMs);
      for (const [handle, timer] of due) {
        if (!this.#timers.delete(handle)) continue;
        this.#nowMs = Math.max(this.#nowMs, timer.atMs);
        timer.action();
      }
    }
    this.#nowMs = untilMs;
  }
}
