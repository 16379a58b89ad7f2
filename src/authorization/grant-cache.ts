import type { Clock } from '../base/time.ts';
import { hashToken } from '../base/tokens.ts';
import type { Db } from '../store/database/tables.ts';
import { touchAuthorization } from '../store/keys/mcp-authorizations.ts';
import {
  forgetSuccessors,
  type LiveGrant,
  listAccessTokens,
  listLiveGrants,
} from '../store/keys/oauth-grants.ts';
import { isSameReach } from './scope-names.ts';

/** Uses of an authorization are written down at most this often. */
const TOUCH_INTERVAL_MS = 60_000;

interface KeptGrant {
  readonly grant: LiveGrant;
  touchedMs: number;
}

interface KeptToken {
  readonly kept: KeptGrant;
  readonly expiresAt: string;
  /** As long as it is not, the refresh that it came of may be repeated. */
  isUsed: boolean;
}

/** One account's grants by id, and the hashes of their access tokens. */
interface Account {
  readonly grants: ReadonlyMap<string, KeptGrant>;
  readonly hashes: readonly string[];
}

const NOTHING: Account = { grants: new Map(), hashes: [] };

/**
 * Told of a grant that acts for other agents than before: for none when it is gone, or reaches other platforms, so that
 * whatever it has open is opened anew.
 */
export type OnGrantChanged = (grantId: string, agentIds: readonly string[]) => void;

/** Where access tokens are good for; it may be known only once the gateway listens. */
export type ResourceUrl = () => string;

/**
 * Every access token that lets an MCP client in, in memory, as the KeyCache has the keys. Lookup is by the token's hash.
 * What clients have open belongs to their grant, which stays when its tokens are replaced.
 */
export class GrantCache {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #resource: ResourceUrl;
  readonly #onTouchFailed: (error: unknown) => void;
  readonly #byHash = new Map<string, KeptToken>();
  readonly #byAccount = new Map<string, Account>();
  #onChanged: OnGrantChanged = () => {};

  private constructor(db: Db, clock: Clock, resource: ResourceUrl, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#resource = resource;
    this.#onTouchFailed = onTouchFailed;
  }

  static async load(
    db: Db,
    clock: Clock,
    resource: ResourceUrl,
    onTouchFailed: (error: unknown) => void,
  ): Promise<GrantCache> {
    const cache = new GrantCache(db, clock, resource, onTouchFailed);
    for (const accountId of new Set((await listLiveGrants(db)).map((grant) => grant.accountId)))
      await cache.refresh(accountId);
    return cache;
  }

  /** Whoever holds connections open for grants listens here. */
  watch(onChanged: OnGrantChanged): void {
    this.#onChanged = onChanged;
  }

  /** Takes over one account's grants: after one came, went or changed. */
  async refresh(accountId: string): Promise<void> {
    const { grants, tokens } = await this.#db.transaction().execute(async (trx) => ({
      grants: await listLiveGrants(trx, accountId),
      tokens: await listAccessTokens(trx, this.#clock.nowIso(), accountId),
    }));
    const former = this.#byAccount.get(accountId) ?? NOTHING;
    const used = new Set(former.hashes.filter((hash) => this.#byHash.get(hash)?.isUsed));
    for (const hash of former.hashes) this.#byHash.delete(hash);
    const kept = new Map(grants.map((grant) => [grant.id, keptAs(grant, former)]));
    for (const { tokenHash, grantId, expiresAt } of tokens) {
      const one = kept.get(grantId);
      if (one) this.#byHash.set(tokenHash, { kept: one, expiresAt, isUsed: used.has(tokenHash) });
    }
    if (kept.size === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, { grants: kept, hashes: tokens.map(({ tokenHash }) => tokenHash) });
    for (const [id, { grant }] of former.grants) this.#tellIfChanged(grant, kept.get(id)?.grant);
  }

  /** The grant behind an access token, whose use is noted; null for anything else. */
  use(token: string): LiveGrant | null {
    const found = this.#byHash.get(hashToken(token));
    if (!found || found.expiresAt <= this.#clock.nowIso()) return null;
    const { grant } = found.kept;
    // A token of a gateway that had another address was not made for this one.
    if (grant.resource !== this.#resource()) return null;
    if (!found.isUsed) this.#firstUse(found);
    this.#touch(found.kept);
    return grant;
  }

  #tellIfChanged(former: LiveGrant, now: LiveGrant | undefined): void {
    if (!now || !isSameReach(former.platforms, now.platforms)) this.#onChanged(former.id, []);
    else if (former.agentIds.join() !== now.agentIds.join()) this.#onChanged(former.id, now.agentIds);
  }

  #firstUse(token: KeptToken): void {
    token.isUsed = true;
    forgetSuccessors(this.#db, 'grantId', token.kept.grant.id).catch(this.#onTouchFailed);
  }

  #touch(kept: KeptGrant): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - kept.touchedMs < TOUCH_INTERVAL_MS) return;
    kept.touchedMs = nowMs;
    touchAuthorization(this.#db, kept.grant.authorizationId, this.#clock.nowIso()).catch(this.#onTouchFailed);
  }
}

function keptAs(grant: LiveGrant, former: Account): KeptGrant {
  return { grant, touchedMs: former.grants.get(grant.id)?.touchedMs ?? -Infinity };
}
