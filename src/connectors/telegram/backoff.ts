import type { BotApiFailure } from './bot-api-failure.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A bot that was logged out is asked for again so rarely. */
const LOGGED_OUT_MS = 300_000;

/** Ever longer pauses after failures, each up to a fifth shorter by chance, so that many bots do not come back at once. */
export class Backoff {
  #failures = 0;

  next(): number {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return fullMs * (1 - Math.random() / 5);
  }

  /** What Telegram asks for, at least. */
  after(failure: BotApiFailure): number {
    return Math.max(failure.afterMs, failure.isLoggedOut ? LOGGED_OUT_MS : this.next());
  }

  reset(): void {
    this.#failures = 0;
  }
}
