import { hashToken } from '../base/ids.ts';
import { LastUses } from '../base/last-uses.ts';
import type { Clock } from '../base/time.ts';
import { changeRows, type Db } from '../store/database/rows.ts';
import {
  forgetSuccessors,
  type LiveGrant,
  listAccessTokens,
  listLiveGrants,
  type OauthToken,
} from '../store/keys/oauth-grants.ts';
import { isSameReach } from './scope-names.ts';

interface CachedToken {
  readonly grant: LiveGrant;
  readonly expiresAt: string;
  /** Until its first use, the refresh that issued it may be repeated. */
  isUsed: boolean;
}

/** One account's grants by id, and the hashes of their access tokens. */
interface Account {
  readonly grants: ReadonlyMap<string, LiveGrant>;
  readonly hashes: readonly string[];
}

const NOTHING: Account = { grants: new Map(), hashes: [] };

/**
 * Called when a grant acts for other agents than before. The list is empty when the grant is gone or has other
 * platforms; its connections must then be reopened.
 */
export type OnGrantChanged = (grantId: string, agentIds: readonly string[]) => void;

/** Returns the resource that access tokens are issued for. It may be known only once the gateway listens. */
export type ResourceUrl = () => string;

/**
 * All valid access tokens of MCP clients, in memory, like the keys in KeyCache. Tokens are looked up by their hash.
 * Open connections belong to the grant, which stays when its tokens are replaced.
 */
export class GrantCache {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #resource: ResourceUrl;
  readonly #onTouchFailed: (error: unknown) => void;
  readonly #lastUses: LastUses;
  readonly #byHash = new Map<string, CachedToken>();
  readonly #byAccount = new Map<string, Account>();
  #onChanged: OnGrantChanged = () => {};

  private constructor(db: Db, clock: Clock, resource: ResourceUrl, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#resource = resource;
    this.#onTouchFailed = onTouchFailed;
    this.#lastUses = new LastUses(clock, onTouchFailed);
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

  /** Sets the listener for changed grants, so that their open connections can follow. */
  watch(onChanged: OnGrantChanged): void {
    this.#onChanged = onChanged;
  }

  /** Reloads one account's grants after one was added, removed or changed. */
  async refresh(accountId: string): Promise<void> {
    const { grants, tokens } = await this.#db.transaction().execute(async (trx) => ({
      grants: await listLiveGrants(trx, accountId),
      tokens: await listAccessTokens(trx, this.#clock.nowIso(), accountId),
    }));
    this.#replace(accountId, grants, tokens);
  }

  /** Invalidates an account's tokens until `refresh`, and closes the connections of its grants. */
  remove(accountId: string): void {
    this.#replace(accountId, [], []);
  }

  #replace(accountId: string, grants: readonly LiveGrant[], tokens: readonly OauthToken[]): void {
    const former = this.#byAccount.get(accountId) ?? NOTHING;
    const used = new Set(former.hashes.filter((hash) => this.#byHash.get(hash)?.isUsed));
    for (const hash of former.hashes) this.#byHash.delete(hash);
    const now = new Map(grants.map((grant) => [grant.id, grant]));
    for (const { tokenHash, grantId, expiresAt } of tokens) {
      const grant = now.get(grantId);
      if (grant) this.#byHash.set(tokenHash, { grant, expiresAt, isUsed: used.has(tokenHash) });
    }
    if (now.size === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, { grants: now, hashes: tokens.map(({ tokenHash }) => tokenHash) });
    for (const [id, grant] of former.grants) this.#notifyIfChanged(grant, now.get(id));
  }

  /** Returns the grant of an access token and records its use; null when the token is invalid. */
  use(token: string): LiveGrant | null {
    const found = this.#byHash.get(hashToken(token));
    if (!found || found.expiresAt <= this.#clock.nowIso()) return null;
    const { grant } = found;
    // The token was issued when the gateway had another URL.
    if (grant.resource !== this.#resource()) return null;
    if (!found.isUsed) this.#firstUse(found);
    this.#lastUses.note(grant.id, () => {
      const used = { lastUsedAt: this.#clock.nowIso() };
      return changeRows(this.#db, 'mcpAuthorizations', { id: grant.authorizationId }, used);
    });
    return grant;
  }

  #notifyIfChanged(former: LiveGrant, now: LiveGrant | undefined): void {
    if (!now || !isSameReach(former.platforms, now.platforms)) this.#onChanged(former.id, []);
    else if (former.agentIds.join() !== now.agentIds.join()) this.#onChanged(former.id, now.agentIds);
  }

  #firstUse(token: CachedToken): void {
    token.isUsed = true;
    forgetSuccessors(this.#db, 'grantId', token.grant.id).catch(this.#onTouchFailed);
  }
}
