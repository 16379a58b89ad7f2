import { LimitedMap } from './limited-map.ts';
import type { Clock } from './time.ts';

/** Minimum interval between writes of a credential's last use. */
const INTERVAL_MS = 60_000;
const MAX_CREDENTIALS = 100_000;

/** Writes the last use of credentials, each at most once a minute. */
export class LastUses {
  readonly #clock: Clock;
  readonly #onFailed: (error: unknown) => void;
  readonly #writtenMs = new LimitedMap<number>(MAX_CREDENTIALS);

  constructor(clock: Clock, onFailed: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailed = onFailed;
  }

  /** Calls `write` unless the credential's last use was written within the last minute. */
  note(credentialId: string, write: () => Promise<unknown>): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#writtenMs.get(credentialId) ?? -Infinity) < INTERVAL_MS) return;
    this.#writtenMs.set(credentialId, nowMs);
    write().catch(this.#onFailed);
  }
}
