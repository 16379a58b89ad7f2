import { GatewayError } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const MAX_CHANGES = 30;
const WINDOW_MS = 15 * 60_000;
/** The 10,000 accounts that changed their trunk last are always kept. */
const MAX_ACCOUNTS = 20_000;

/**
 * Limits how often an account may change its trunk, because each change makes the gateway contact a server and reports
 * the result. Kept in memory: a restart resets it.
 */
export class TrunkChanges {
  readonly #clock: Clock;
  readonly #windows = new LimitedMap<{ changes: number; readonly sinceMs: number }>(MAX_ACCOUNTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a change. Throws `too_many_trunk_changes` and counts nothing when the limit is reached. */
  count(accountId: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#windows.get(accountId);
    const window = known && nowMs - known.sinceMs < WINDOW_MS ? known : { changes: 0, sinceMs: nowMs };
    if (window.changes >= MAX_CHANGES) throw new GatewayError('too_many_trunk_changes');
    window.changes += 1;
    this.#windows.set(accountId, window);
  }
}
