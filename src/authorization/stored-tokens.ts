import { hkdfSync } from 'node:crypto';
import { hashToken } from '../base/ids.ts';
import type { Platform } from '../base/platform.ts';
import { isoAfter } from '../base/time.ts';
import { type Db, deleteRows } from '../store/database/rows.ts';
import {
  type FoundGrant,
  findGrantByCode,
  findToken,
  type OauthToken,
  pruneGrants,
  replaceTokens,
  spendToken,
} from '../store/keys/oauth-grants.ts';
import { audit, unauthenticatedActor } from '../store/people/audit-log.ts';
import { MASTER_KEY_BYTES, SecretBox, secretPlaces } from '../store/secrets/secret-box.ts';
import { ACCESS_TOKEN_MS, type AuthorizationDomain, REFRESH_TOKEN_MS } from './authorization-domain.ts';
import { isWithin } from './scope-names.ts';

/** Limit of redeemed grants per authorization: each machine on which a client works has its own. */
const MAX_GRANTS = 50;

/** What a client exchanges: a code, or a refresh token of the grant. */
export interface Holder {
  readonly grant: FoundGrant;
  /** Null: the client exchanges a code. */
  readonly refreshToken: string | null;
}

/** Tokens as returned to a client. */
export interface IssuedTokens extends TokenPair {
  /** When the access token expires. */
  readonly expiresAt: string;
  /** Platforms that the access token gives access to; null: all. */
  readonly platforms: ReadonlySet<Platform> | null;
}

/**
 * Stores a new token pair and spends the code or refresh token in the same transaction, because a crash in between
 * would leave the client without tokens. A refresh token that was already spent returns its first pair while the
 * refresh may be repeated. Returns null when the grant is gone, or the code or refresh token can no longer be used.
 */
export async function storeTokens(
  { store, clock }: AuthorizationDomain,
  { grant, refreshToken }: Holder,
  pair: TokenPair,
  platforms: ReadonlySet<Platform> | null,
): Promise<IssuedTokens | null> {
  const nowIso = clock.nowIso();
  return await store.db.transaction().execute(async (trx) => {
    const isOwed =
      refreshToken === null
        ? (await findGrantByCode(trx, grant.codeHash)) !== undefined
        : await spendToken(trx, spending(grant.id, refreshToken, pair, nowIso));
    if (!isOwed) return refreshToken === null ? null : await repeatedTokens(trx, refreshToken, nowIso);
    const narrowedTo = isWithin(grant.platforms, platforms) ? null : platforms;
    await replaceTokens(trx, grant.id, newTokens(grant, pair, nowIso), narrowedTo);
    await pruneGrants(trx, grant.authorizationId, 'redeemed', MAX_GRANTS);
    return { ...pair, expiresAt: isoAfter(nowIso, ACCESS_TOKEN_MS), platforms };
  });
}

/**
 * Deletes a grant whose single-use code or refresh token was used twice. One of the two users stole it, so neither may
 * keep access.
 */
export async function endStolen(
  { store, grants }: AuthorizationDomain,
  { id, accountId, clientId }: FoundGrant,
  what: 'code' | 'refresh token',
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    if (!(await deleteRows(trx, 'oauthGrants', { id }))) return;
    await audit(trx, unauthenticatedActor(accountId), {
      action: 'mcp_authorization.reuse',
      subject: clientId,
      detail: { grantId: id, what },
    });
  });
  await grants.refresh(accountId);
}

function spending(grantId: string, refreshToken: string, pair: TokenPair, nowIso: string) {
  return {
    grantId,
    tokenHash: hashToken(refreshToken),
    sealedSuccessor: sealPair(pair, refreshToken),
    spentAt: nowIso,
    sealedBefore: isoAfter(nowIso, -REPEAT_MS),
  };
}

async function repeatedTokens(db: Db, refreshToken: string, nowIso: string): Promise<IssuedTokens | null> {
  const found = await findToken(db, hashToken(refreshToken));
  const pair = found && repeatedPair(found.token, refreshToken, nowIso);
  if (!found?.token.spentAt || !pair) return null;
  return { ...pair, expiresAt: isoAfter(found.token.spentAt, ACCESS_TOKEN_MS), platforms: found.grant.reach };
}

function newTokens({ id, accountId }: FoundGrant, pair: TokenPair, nowIso: string): OauthToken[] {
  const common = { accountId, grantId: id, createdAt: nowIso, spentAt: null, sealedSuccessor: null };
  return [
    {
      ...common,
      kind: 'access',
      tokenHash: hashToken(pair.accessToken),
      expiresAt: isoAfter(nowIso, ACCESS_TOKEN_MS),
    },
    {
      ...common,
      kind: 'refresh',
      tokenHash: hashToken(pair.refreshToken),
      expiresAt: isoAfter(nowIso, REFRESH_TOKEN_MS),
    },
  ];
}

/** How long a client may repeat a refresh whose response was lost, or that it sent twice at the same time. */
const REPEAT_MS = 60_000;

const placeOf = secretPlaces('oauth_tokens', 'sealed_successor');

/** The pair that replaces a refresh token. */
interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Encrypts a pair with a key derived from the refresh token that it replaces. The database holds only the token's hash,
 * so it cannot decrypt the pair.
 */
function sealPair({ accessToken, refreshToken }: TokenPair, spentToken: string): string {
  return boxOf(spentToken).seal(
    JSON.stringify({ accessToken, refreshToken }),
    placeOf(hashToken(spentToken)),
  );
}

/** Returns the pair that replaced a refresh token; null once the refresh can no longer be repeated. */
export function repeatedPair(
  { tokenHash, spentAt, sealedSuccessor }: OauthToken,
  spentToken: string,
  nowIso: string,
): TokenPair | null {
  if (spentAt === null || sealedSuccessor === null || isoAfter(spentAt, REPEAT_MS) < nowIso) return null;
  return JSON.parse(boxOf(spentToken).open(sealedSuccessor, placeOf(tokenHash))) as TokenPair;
}

/** Derives the key. Tokens are random, so this needs neither a salt nor a slow hash. */
function boxOf(token: string): SecretBox {
  return new SecretBox(
    Buffer.from(hkdfSync('sha256', token, '', 'successor of a refresh token', MASTER_KEY_BYTES)),
  );
}
