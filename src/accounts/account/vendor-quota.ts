import { TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const MAX_QUESTIONS = 60;
const WINDOW_MS = 15 * 60_000;
/** The 10,000 accounts that asked last are always kept. */
const MAX_ACCOUNTS = 20_000;

/**
 * Limits how often an account may have the gateway ask providers of speech or of models, so that nobody tries keys with
 * it. Kept in memory: a restart resets it.
 */
export class VendorQuota {
  readonly #clock: Clock;
  readonly #windows = new LimitedMap<{ questions: number; readonly sinceMs: number }>(MAX_ACCOUNTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a question. Throws TooManyAttempts and counts nothing when the limit is reached. */
  count(accountId: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#windows.get(accountId);
    const window = known && nowMs - known.sinceMs < WINDOW_MS ? known : { questions: 0, sinceMs: nowMs };
    if (window.questions >= MAX_QUESTIONS) {
      const leftS = (window.sinceMs + WINDOW_MS - nowMs) / 1000;
      throw new TooManyAttempts(leftS, `Providers may be asked ${MAX_QUESTIONS} times in 15 minutes`);
    }
    window.questions += 1;
    this.#windows.set(accountId, window);
  }
}
