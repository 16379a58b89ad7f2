import { areSameAgents } from '../../base/scope.ts';
import type { Clock } from '../../base/time.ts';
import { hashToken } from '../../base/tokens.ts';
import type { Db } from '../../store/database/tables.ts';
import { listValidKeys, touchKey, type ValidKey } from '../../store/keys/keys.ts';

/** Minimum interval between writes of a key's last use. */
const TOUCH_INTERVAL_MS = 60_000;

/** Called when a key acts for other agents than before. The list is empty when the key was revoked. */
export type OnAgentsChanged = (keyId: string, agentIds: readonly string[]) => void;

interface CachedKey {
  readonly key: ValidKey;
  touchedMs: number;
}

/**
 * All valid keys, in memory, so that authentication does not wait for the database. Keys are looked up by hash, so
 * timing does not reveal how much of a guess was right.
 */
export class KeyCache {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #onTouchFailed: (error: unknown) => void;
  readonly #byHash = new Map<string, CachedKey>();
  readonly #byAccount = new Map<string, readonly CachedKey[]>();
  #onChanged: OnAgentsChanged = () => {};

  private constructor(db: Db, clock: Clock, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onTouchFailed = onTouchFailed;
  }

  static async load(db: Db, clock: Clock, onTouchFailed: (error: unknown) => void): Promise<KeyCache> {
    const cache = new KeyCache(db, clock, onTouchFailed);
    await cache.reload();
    return cache;
  }

  /**
   * Sets the listener for changed keys, so that their open connections follow at once, and those of a revoked key are
   * closed.
   */
  watch(onChanged: OnAgentsChanged): void {
    this.#onChanged = onChanged;
  }

  /** Reloads all keys from the database. */
  async reload(): Promise<void> {
    const keys = Map.groupBy(await listValidKeys(this.#db), (key) => key.accountId);
    for (const accountId of new Set([...this.#byAccount.keys(), ...keys.keys()]))
      this.#replace(accountId, keys.get(accountId) ?? []);
  }

  /**
   * Reloads one account's keys after some were created, revoked or moved to other agents. The database answers queries
   * in order, so the last refresh has the newest state.
   */
  async refresh(accountId: string): Promise<void> {
    this.#replace(accountId, await listValidKeys(this.#db, accountId));
  }

  #replace(accountId: string, keys: readonly ValidKey[]): void {
    const former = this.#byAccount.get(accountId) ?? [];
    const touchedMs = new Map(former.map((kept) => [kept.key.hash, kept.touchedMs]));
    const kept = keys.map((key) => ({ key, touchedMs: touchedMs.get(key.hash) ?? -Infinity }));
    for (const { key } of former) this.#byHash.delete(key.hash);
    for (const one of kept) this.#byHash.set(one.key.hash, one);
    if (kept.length > 0) this.#byAccount.set(accountId, kept);
    else this.#byAccount.delete(accountId);
    for (const { key } of former) this.#notifyIfChanged(key);
  }

  #notifyIfChanged(former: ValidKey): void {
    const agentIds = this.#byHash.get(former.hash)?.key.agentIds ?? [];
    if (!areSameAgents(former.agentIds, agentIds)) this.#onChanged(former.id, agentIds);
  }

  /** Returns the record of a valid key and records its use; null when the key is invalid. */
  use(key: string): ValidKey | null {
    const kept = this.#byHash.get(hashToken(key));
    if (!kept) return null;
    this.#touch(kept);
    return kept.key;
  }

  #touch(kept: CachedKey): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - kept.touchedMs < TOUCH_INTERVAL_MS) return;
    kept.touchedMs = nowMs;
    touchKey(this.#db, kept.key.id, this.#clock.nowIso()).catch(this.#onTouchFailed);
  }
}
