import { Deadlines } from '../../../base/deadlines.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';

/** Well within what clients and proxies let a request be silent for. */
const PERIOD_MS = 10_000;

/** Signs of life of calls that wait: one timer for thousands of them. */
export class Heartbeats {
  readonly #deadlines: Deadlines;

  constructor(clock: Clock) {
    this.#deadlines = new Deadlines(clock);
  }

  /** Calls `beat`, which must not throw, with the seconds that have passed, again and again until the work is done. */
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
