import { Deadlines } from '../../../base/deadlines.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';

/** Interval well below the idle timeouts of clients and proxies. */
const PERIOD_MS = 10_000;

/** Periodic progress of waiting calls, with one timer for thousands of them. */
export class Heartbeats {
  readonly #deadlines: Deadlines;

  constructor(clock: Clock) {
    this.#deadlines = new Deadlines(clock);
  }

  /** Calls `beat` periodically with the seconds passed, until the work is done. `beat` must not throw. */
  async during<T>(work: Promise<T>, beat: (seconds: number) => void): Promise<T> {
    let passedMs = 0;
    let cancel: CancelTimer = () => {};
    const wait = (): void => {
      cancel = this.#deadlines.after(PERIOD_MS, () => {
        passedMs += PERIOD_MS;
        wait();
        beat(passedMs / 1_000);
      });
    };
    wait();
    try {
      return await work;
    } finally {
      cancel();
    }
  }
}
