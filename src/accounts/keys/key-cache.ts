import { hashToken } from '../../base/ids.ts';
import { LastUses } from '../../base/last-uses.ts';
import { areSameAgents } from '../../base/scope.ts';
import type { Clock } from '../../base/time.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { listValidKeys, type ValidKey } from '../../store/keys/keys.ts';

/** Called when a key acts for other agents than before. The list is empty when the key was revoked. */
export type OnAgentsChanged = (keyId: string, agentIds: readonly string[]) => void;

/**
 * All valid keys, in memory, so that authentication does not wait for the database. Keys are looked up by hash, so
 * timing does not reveal how much of a guess was right.
 */
export class KeyCache {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #lastUses: LastUses;
  readonly #byHash = new Map<string, ValidKey>();
  readonly #byAccount = new Map<string, readonly ValidKey[]>();
  #onChanged: OnAgentsChanged = () => {};

  private constructor(db: Db, clock: Clock, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#lastUses = new LastUses(clock, onTouchFailed);
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
   * Reloads one account's keys after some were created, revoked or moved to other agents. The database answers one
   * query at a time, so whichever refresh is answered last has the newest state.
   */
  async refresh(accountId: string): Promise<void> {
    this.#replace(accountId, await listValidKeys(this.#db, accountId));
  }

  /** Invalidates an account's keys until `refresh`, and closes their connections. */
  remove(accountId: string): void {
    this.#replace(accountId, []);
  }

  #replace(accountId: string, keys: readonly ValidKey[]): void {
    const former = this.#byAccount.get(accountId) ?? [];
    for (const key of former) this.#byHash.delete(key.hash);
    for (const key of keys) this.#byHash.set(key.hash, key);
    if (keys.length > 0) this.#byAccount.set(accountId, keys);
    else this.#byAccount.delete(accountId);
    for (const key of former) this.#notifyIfChanged(key);
  }

  #notifyIfChanged(former: ValidKey): void {
    const agentIds = this.#byHash.get(former.hash)?.agentIds ?? [];
    if (!areSameAgents(former.agentIds, agentIds)) this.#onChanged(former.id, agentIds);
  }

  /** Returns the record of a valid key and records its use; null when the key is invalid. */
  use(key: string): ValidKey | null {
    const known = this.#byHash.get(hashToken(key));
    if (!known) return null;
    this.#lastUses.note(known.id, () =>
      changeRows(this.#db, 'apiKeys', { id: known.id }, { lastUsedAt: this.#clock.nowIso() }),
    );
    return known;
  }
}
