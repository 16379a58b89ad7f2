import type { Database, Statement } from 'better-sqlite3';
import { GatewayError, TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

/** What people send and say is stored beyond the quota up to this share of it. Then the oldest events make room. */
const RESERVE = 1.1;
/** Nothing is stored beyond this share, whoever wrote it: nothing was old enough to make room. */
const MOST = 1.2;
/** Agents answer people, and each other, in bursts. What goes on for longer is a loop. */
const WRITES = { most: 1_000, perSecond: 50 };
/** The 5,000 accounts that wrote last are always remembered. */
const MAX_ACCOUNTS = 10_000;

/** Why something was not stored. */
export type RefusedWrite = 'account_full' | 'reserve_full' | 'too_fast';

/**
 * What an account may store in the database, and how often it may write. Read without a wait, since every message asks;
 * triggers keep the count (`schema/account-bytes`).
 */
export class AccountQuota {
  /** What an account may store, in bytes. */
  readonly bytes: number;
  readonly refused: Record<RefusedWrite, number> = { account_full: 0, reserve_full: 0, too_fast: 0 };
  readonly #clock: Clock;
  readonly #stored: Statement<[string], number>;
  readonly #buckets = new LimitedMap<TokenBucket>(MAX_ACCOUNTS);

  constructor(database: Database, clock: Clock, bytes: number) {
    this.bytes = bytes;
    this.#clock = clock;
    this.#stored = database
      .prepare<[string], number>('select bytes from account_bytes where account_id = ?')
      .pluck();
  }

  /** Where the oldest events of an account make room for what people send. */
  get reserveBytes(): number {
    return this.bytes * RESERVE;
  }

  /** About how many bytes an account stores. */
  storedBy(accountId: string): number {
    return this.#stored.get(accountId) ?? 0;
  }

  /** Throws `storage_full` when the account stores as much as it may. */
  assertRoom(accountId: string): void {
    if (this.storedBy(accountId) < this.bytes) return;
    this.refused.account_full += 1;
    const most = Math.round(this.bytes / 1_048_576);
    throw new GatewayError('storage_full', `The account has reached its ${most} MB of the database`);
  }

  /** Throws `storage_full`, or TooManyAttempts when the account writes faster than any conversation. */
  assertMayWrite(accountId: string): void {
    this.assertRoom(accountId);
    const waitMs = this.takeTurn(accountId);
    if (waitMs === 0) return;
    this.refused.too_fast += 1;
    throw new TooManyAttempts(waitMs / 1_000, `An account may write ${WRITES.perSecond} times per second`);
  }

  /** Counts a write, and returns 0; or returns after how many milliseconds there may be another, and counts nothing. */
  takeTurn(accountId: string): number {
    const bucket = this.#buckets.get(accountId) ?? new TokenBucket(this.#clock, WRITES);
    this.#buckets.set(accountId, bucket);
    return bucket.take(1) ? 0 : bucket.waitMs(1);
  }

  /** Whether what others send to the account, and what is said on its calls, may be stored. If not, this is counted. */
  hasReserve(accountId: string): boolean {
    const has = this.storedBy(accountId) < this.bytes * MOST;
    if (!has) this.refused.reserve_full += 1;
    return has;
  }
}
