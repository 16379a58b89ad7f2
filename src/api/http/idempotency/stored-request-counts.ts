import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type { Db } from '../../../store/database/tables.ts';
import { countStoredRequests } from '../../../store/people/account-counts.ts';

/** Limit on stored keyed requests per account: more than one per second for a whole day. */
export const MAX_STORED_REQUESTS = 100_000;
/** How often an account at its limit is recounted, as old requests are deleted in the meantime. */
const RECOUNT_MS = 10_000;

/** Limits the number of stored requests per account. Counted once in the database, then in memory. */
export class StoredRequestCounts {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { kept: number; countedMs: number }>();

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Counts one more request. Throws `too_many_keys` at the limit. */
  async add(accountId: string): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    let count = this.#counts.get(accountId);
    const isFull = count !== undefined && count.kept >= MAX_STORED_REQUESTS;
    if (count === undefined || (isFull && nowMs - count.countedMs >= RECOUNT_MS)) {
      count = { kept: await countStoredRequests(this.#db, accountId), countedMs: nowMs };
      this.#counts.set(accountId, count);
    }
    if (count.kept >= MAX_STORED_REQUESTS)
      throw new GatewayError(
        'too_many_keys',
        `At most ${MAX_STORED_REQUESTS} requests with an Idempotency-Key per account are stored for 24 hours`,
      );
    count.kept += 1;
  }
}
