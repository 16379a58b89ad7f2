import { onBehalfOf } from '../../../base/on-behalf.ts';
import { type Reader, ReadingRefused, type ReadingTime } from '../../../base/reading-time.ts';
import type { Exchange } from '../answer/exchange.ts';

/** What may wait for the turn of one account: as many long-polls as it may have, and bodies. More is refused. */
const MOST_WAITING = { requests: 1_500, bytes: 8 * 1_048_576 } as const;

/**
 * Shares the main thread's time for requests between accounts. One that is alone has all of it. Beside others, the account
 * that uses most, and more than its allowance, is answered in turn: its requests wait, and those of the others do not.
 */
export class RequestTurns {
  readonly #time: ReadingTime;
  /** By account. */
  readonly #waiting = new Map<string, { requests: number; bytes: number }>();
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

  /** Does work on behalf of the account of a request. It need not be told from others while there are none. */
  onBehalfOf<Result>({ accountId }: Exchange, work: () => Result): Result {
    return accountId !== null && this.#time.of(accountId).hasCompany ? onBehalfOf(accountId, work) : work();
  }

  /** The share of whoever sent the request; null: a stranger. */
  shareOf({ accountId }: Exchange): Reader | null {
    return accountId === null ? null : this.#time.of(accountId);
  }

  /** Whether a request may be handled at once. */
  mayGoOn(exchange: Exchange): boolean {
    return this.shareOf(exchange)?.mayGoOn() ?? true;
  }

  /**
   * Does the work when it is the account's turn, unless the client is gone by then. What `work` throws is answered.
   * `bytes`: of the body that waits with the request.
   */
  wait(exchange: Exchange, bytes: number, work: () => void): void {
    const accountId = exchange.accountId!;
    this.#enter(accountId, bytes);
    exchange.watchAbort();
    this.#time
      .of(accountId)
      .turn(exchange.signal)
      .finally(() => this.#leave(accountId, bytes))
      .then(() => this.count(exchange, work))
      .catch((error: unknown) => exchange.fail(error));
  }

  #enter(accountId: string, bytes: number): void {
    const waiting = this.#waiting.get(accountId) ?? { requests: 0, bytes: 0 };
    if (waiting.requests >= MOST_WAITING.requests || waiting.bytes + bytes > MOST_WAITING.bytes)
      throw new ReadingRefused();
    waiting.requests += 1;
    waiting.bytes += bytes;
    this.#waiting.set(accountId, waiting);
  }

  #leave(accountId: string, bytes: number): void {
    const waiting = this.#waiting.get(accountId)!;
    waiting.requests -= 1;
    waiting.bytes -= bytes;
    if (waiting.requests === 0) this.#waiting.delete(accountId);
  }
}
