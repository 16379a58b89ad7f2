import type { BotApiFailure } from './bot-api-failure.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Retry interval for a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

/** Exponential backoff with up to 20% random reduction, so that many bots do not reconnect at once. */
export class Backoff {
  #failures = 0;

  next(): number {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return fullMs * (1 - Math.random() / 5);
  }

  /** Returns the delay after a failure: at least as long as Telegram asks for. */
  after(failure: BotApiFailure): number {
    return Math.max(failure.afterMs, failure.isLoggedOut ? LOGGED_OUT_MS : this.next());
  }

  reset(): void {
    this.#failures = 0;
  }
}
