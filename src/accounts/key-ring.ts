import type { Clock } from '../base/time.ts';
import { listValidKeys, touchKey, type ValidKey } from '../store/keys.ts';
import type { Db } from '../store/tables.ts';
import { hashKey } from './api-keys.ts';

/** Uses of a key are written down at most this often. */
const TOUCH_INTERVAL_MS = 60_000;

interface KeptKey {
  readonly key: ValidKey;
  touchedMs: number;
}

/**
 * Every valid key, in memory, so that a request is let in without waiting for the database. Lookup is by hash:
 * how long it takes says nothing about how much of a guess was right.
 */
export class KeyRing {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #onTouchFailed: (error: unknown) => void;
  #byHash = new Map<string, KeptKey>();

  private constructor(db: Db, clock: Clock, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onTouchFailed = onTouchFailed;
  }

  static async load(db: Db, clock: Clock, onTouchFailed: (error: unknown) => void): Promise<KeyRing> {
    const ring = new KeyRing(db, clock, onTouchFailed);
    await ring.reload();
    return ring;
  }

  /** Takes over what changed in the database: after keys were made, revoked or given to other agents. */
  async reload(): Promise<void> {
    const keys = await listValidKeys(this.#db);
    const former = this.#byHash;
    this.#byHash = new Map(
      keys.map((key) => [key.hash, { key, touchedMs: former.get(key.hash)?.touchedMs ?? -Infinity }]),
    );
  }

  /** The record of a valid key, whose use is noted; null for anything else. */
  use(key: string): ValidKey | null {
    const kept = this.#byHash.get(hashKey(key));
    if (!kept) return null;
    this.#touch(kept);
    return kept.key;
  }

  #touch(kept: KeptKey): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - kept.touchedMs < TOUCH_INTERVAL_MS) return;
    kept.touchedMs = nowMs;
    touchKey(this.#db, kept.key.id, this.#clock.nowIso()).catch(this.#onTouchFailed);
  }
}
