import { GatewayError } from '../../base/errors.ts';
import { isSameSecret } from '../../base/ids.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import type { Db } from '../../store/database/rows.ts';
import { insertAuditLine } from '../../store/people/audit-log.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { FailedAttempts } from '../passwords/failed-attempts.ts';

const HOUR_MS = 3_600_000;
/** No key is longer. Longer ones are refused without hashing them. */
const MAX_LENGTH = 256;
const MAX_ADDRESSES = 100;

export interface BridgeKeyDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Null: the operator has set none. */
  readonly key: string | null;
  readonly limits: AttemptLimits;
  readonly failures: Pick<FailedAttempts, 'note'>;
  /** The audit log could not be written. */
  readonly onFailure: (error: unknown) => void;
}

/** The key of the platform bridge. Its use is recorded in the audit log, once per IP address and hour. */
export class BridgeKey {
  readonly #deps: BridgeKeyDeps;
  /** When an address was last recorded. */
  readonly #recorded = new LimitedMap<number>(MAX_ADDRESSES);

  constructor(deps: BridgeKeyDeps) {
    this.#deps = deps;
  }

  /**
   * Admits a request. Throws `not_found` while there is no key, `unauthorized` for a wrong one, and TooManyAttempts
   * instead of it when too many wrong ones came from the client's network. The right key is always admitted: a stranger
   * behind the bridge's proxy must not be able to lock it out.
   */
  admit(credential: string | null, address: string): void {
    const { key, limits, failures } = this.#deps;
    if (key === null) throw new GatewayError('not_found');
    if (credential === null) throw new GatewayError('unauthorized');
    if (credential.length <= MAX_LENGTH && isSameSecret(credential, key)) return this.#used(address);
    failures.note(null, address);
    limits.attempt(address, null);
    throw new GatewayError('unauthorized');
  }

  #used(address: string): void {
    const { db, clock, onFailure } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#recorded.get(address) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    this.#recorded.set(address, nowMs);
    const line = { action: 'bridge_key.use', detail: { address }, createdAt: clock.nowIso() } as const;
    insertAuditLine(db, null, line).catch(onFailure);
  }
}
