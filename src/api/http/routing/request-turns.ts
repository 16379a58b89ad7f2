import { type Reader, ReadingRefused, type ReadingTime } from '../../../base/reading-time.ts';
import type { Exchange } from '../answer/exchange.ts';

/** Requests of an account that may wait for its turn. A client with more of them at once is told to slow down. */
const MAX_WAITING = 100;

/**
 * Shares the main thread's time for requests between accounts. One that is alone has all of it. Beside others, the account
 * that uses most, and more than its allowance, is answered in turn: its requests wait, and those of the others do not.
 */
export class RequestTurns {
  readonly #time: ReadingTime;
  /** Whether what runs is counted already. */
  #isCounting = false;

  constructor(time: ReadingTime) {
    this.#time = time;
  }

  /** Does what a request needs done at once, and counts its time for the account that the exchange names by then. */
  count(exchange: Exchange, work: () => void): void {
    if (this.#isCounting) return work();
    this.#isCounting = true;
    const sinceMs = this.#time.nowMs();
    try {
      work();
    } finally {
      this.#isCounting = false;
      if (exchange.accountId !== null) this.#time.of(exchange.accountId).count(sinceMs);
    }
  }

  /** The share of whoever sent the request; null: a stranger. */
  shareOf({ accountId }: Exchange): Reader | null {
    return accountId === null ? null : this.#time.of(accountId);
  }

  /** Whether a request may be handled at once. */
  mayGoOn(exchange: Exchange): boolean {
    return this.shareOf(exchange)?.mayGoOn() ?? true;
  }

  /** Does the work when it is the account's turn, unless the client is gone by then. What `work` throws is answered. */
  wait(exchange: Exchange, work: () => void): void {
    const share = this.#time.of(exchange.accountId!);
    if (share.waiting >= MAX_WAITING) throw new ReadingRefused();
    exchange.watchAbort();
    share
      .turn(exchange.signal)
      .then(() => this.count(exchange, work))
      .catch((error: unknown) => exchange.fail(error));
  }
}
