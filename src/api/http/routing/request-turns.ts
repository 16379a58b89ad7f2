import { onBehalfOf } from '../../../base/on-behalf.ts';
import { type Reader, ReadingRefused, type ReadingTime } from '../../../base/reading-time.ts';
import type { Exchange } from '../answer/exchange.ts';

/** What may wait for the turn of one account or network: as many long-polls as it may have, and bodies. More is refused. */
const MOST_WAITING = { requests: 1_500, bytes: 8 * 1_048_576 } as const;

/**
 * Shares the main thread's time for requests between accounts, and the networks of strangers. Who is alone has all of it.
 * Beside others, whoever uses most, and more than an allowance, is answered in turn: those requests wait, and no others do.
 */
export class RequestTurns {
  readonly #time: ReadingTime;
  readonly #waiting = new Map<Reader, { requests: number; bytes: number }>();
  /** Whether what runs is counted already. */
  #isCounting = false;

  constructor(time: ReadingTime) {
    this.#time = time;
  }

  /** Does what a request needs done at once, and counts its time for whoever the exchange names by then. */
  count(exchange: Exchange, work: () => void): void {
    if (this.#isCounting) return work();
    this.#isCounting = true;
    const sinceMs = this.#time.nowMs();
    try {
      work();
    } finally {
      this.#isCounting = false;
      this.shareOf(exchange)?.count(sinceMs);
    }
  }

  /** The same for an answer that was not ready at once. Whoever holds up others has no more than a part of each turn. */
  countLate(exchange: Exchange, work: () => void): void | Promise<void> {
    const share = this.shareOf(exchange);
    if (!share?.hasHadItsTurn) return this.count(exchange, work);
    return share.nextTurn().then(() => this.count(exchange, work));
  }

  /** Does work on behalf of whoever sent the request. They need not be told from others while there are none. */
  onBehalfOf<Result>(exchange: Exchange, work: () => Result): Result {
    const share = this.shareOf(exchange);
    return share?.hasCompany ? onBehalfOf(share.owner, work) : work();
  }

  /** The share of whoever sent the request; null: it takes no turns. */
  shareOf({ accountId, network }: Exchange): Reader | null {
    const owner = accountId ?? network;
    return owner === null ? null : this.#time.of(owner);
  }

  /** Whether a request may be handled at once. */
  mayGoOn(exchange: Exchange): boolean {
    return this.shareOf(exchange)?.mayGoOn() ?? true;
  }

  /**
   * Does the work when it is the sender's turn, unless the client is gone by then. What `work` throws is answered.
   * `bytes`: of the body that waits with the request.
   */
  wait(exchange: Exchange, bytes: number, work: () => void): void {
    const share = this.shareOf(exchange)!;
    this.#enter(share, bytes);
    exchange.watchAbort();
    share
      .turn(exchange.signal)
      .finally(() => this.#leave(share, bytes))
      .then(() => this.count(exchange, work))
      .catch((error: unknown) => exchange.fail(error));
  }

  #enter(share: Reader, bytes: number): void {
    const waiting = this.#waiting.get(share) ?? { requests: 0, bytes: 0 };
    if (waiting.requests >= MOST_WAITING.requests || waiting.bytes + bytes > MOST_WAITING.bytes)
      throw new ReadingRefused();
    waiting.requests += 1;
    waiting.bytes += bytes;
    this.#waiting.set(share, waiting);
  }

  #leave(share: Reader, bytes: number): void {
    const waiting = this.#waiting.get(share)!;
    waiting.requests -= 1;
    waiting.bytes -= bytes;
    if (waiting.requests === 0) this.#waiting.delete(share);
  }
}
