import { GatewayError, TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const WINDOW_MS = 15 * 60_000;
/** The 10,000 accounts that did it last are always kept. */
const MAX_ACCOUNTS = 20_000;

/** Limits how often an account may do something in 15 minutes. Kept in memory: a restart resets it. */
class AccountQuota {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #refusal: (leftS: number) => GatewayError;
  readonly #windows = new LimitedMap<{ used: number; readonly sinceMs: number }>(MAX_ACCOUNTS);

  /** `refusal`: the error at the limit, with the seconds until the account may do it again. */
  constructor(clock: Clock, most: number, refusal: (leftS: number) => GatewayError) {
    this.#clock = clock;
    this.#most = most;
    this.#refusal = refusal;
  }

  /** Counts a use. Throws and counts nothing when the limit is reached. */
  count(accountId: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#windows.get(accountId);
    const window = known && nowMs - known.sinceMs < WINDOW_MS ? known : { used: 0, sinceMs: nowMs };
    if (window.used >= this.#most) throw this.#refusal((window.sinceMs + WINDOW_MS - nowMs) / 1000);
    window.used += 1;
    this.#windows.set(accountId, window);
  }
}

const MAX_QUESTIONS = 60;

/** Questions to providers of speech or of models, limited so that nobody tries keys with the gateway. */
export class VendorQuota extends AccountQuota {
  constructor(clock: Clock) {
    const text = `Providers may be asked ${MAX_QUESTIONS} times in 15 minutes`;
    super(clock, MAX_QUESTIONS, (leftS) => new TooManyAttempts(leftS, text));
  }
}

const MAX_CHANGES = 30;

/** Changes of the trunk: each makes the gateway contact a server and reports the result. */
export class TrunkChanges extends AccountQuota {
  constructor(clock: Clock) {
    super(clock, MAX_CHANGES, () => new GatewayError('too_many_trunk_changes'));
  }
}
