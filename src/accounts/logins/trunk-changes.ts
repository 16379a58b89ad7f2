import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';

const MAX_CHANGES = 30;
const WINDOW_MS = 15 * 60_000;
const MAX_ACCOUNTS = 10_000;

/**
 * Limits how often an account may change its trunk, because each change makes the gateway contact a server and reports
 * the result. Kept in memory: a restart resets it.
 */
export class TrunkChanges {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { changes: number; readonly sinceMs: number }>();

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
    // Moves the account to the end: when the map is full, the account counted longest ago is dropped.
    this.#windows.delete(accountId);
    this.#windows.set(accountId, window);
    if (this.#windows.size > MAX_ACCOUNTS) this.#windows.delete(this.#windows.keys().next().value!);
  }
}
