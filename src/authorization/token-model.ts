import type OAuth2Server from '@node-oauth/oauth2-server';
import { hashToken, newToken } from '../accounts/tokens.ts';
import { isoAfter } from '../base/time.ts';
import { audit, nobodyOf } from '../store/audit-log.ts';
import { findClient } from '../store/oauth-clients.ts';
import {
  deleteGrant,
  type FoundGrant,
  findGrantByCode,
  findToken,
  pruneGrants,
  redeemCode,
  replaceTokens,
  spendToken,
} from '../store/oauth-grants.ts';
import type { Db } from '../store/tables.ts';
import { ACCESS_TOKEN_MS, type AuthorizationDomain, REFRESH_TOKEN_MS } from './authorization-domain.ts';
import { namesOf } from './scope-names.ts';

export type OAuthLibrary = typeof OAuth2Server;

type Model = OAuth2Server.RefreshTokenModel &
  Pick<OAuth2Server.AuthorizationCodeModel, 'getAuthorizationCode' | 'revokeAuthorizationCode'>;

/** Machines on which one client of one account works at the same time. */
const MAX_GRANTS = 50;
/** The library compares with its own clock; ours has decided before. */
const NEVER = new Date(8_640_000_000_000_000);

/** What the library takes for the user: the grant that tokens are for, and the refresh token that they cost. */
interface Holder {
  readonly grant: FoundGrant;
  /** Null: they cost a code. */
  readonly refreshHash: string | null;
}

/** How the library's token endpoint finds, uses up and stores things. */
export function tokenModel(domain: AuthorizationDomain, library: OAuthLibrary): Model {
  const { store, clock } = domain;
  const { db } = store;
  return {
    getClient: async (clientId, secret) => await clientWith(db, clientId, secret),
    getAccessToken: async () => null,
    generateAccessToken: async () => `mcp_${newToken()}`,
    generateRefreshToken: async () => `mcr_${newToken()}`,

    async getAuthorizationCode(code) {
      const grant = await findGrantByCode(db, hashToken(code));
      if (!grant) return null;
      if (grant.redeemedAt !== null) {
        await endStolen(domain, grant, 'code');
        return null;
      }
      if (grant.codeExpiresAt <= clock.nowIso()) return null;
      return {
        authorizationCode: code,
        expiresAt: NEVER,
        redirectUri: grant.redirectUri,
        codeChallenge: grant.codeChallenge,
        codeChallengeMethod: 'S256',
        scope: namesOf(grant.platforms),
        client: libraryClient(grant.clientId),
        user: { grant, refreshHash: null } satisfies Holder,
      };
    },

    async revokeAuthorizationCode({ user }) {
      const { grant } = user as Holder;
      if (await redeemCode(db, grant.id, clock.nowIso())) return true;
      await endStolen(domain, grant, 'code');
      return false;
    },

    async getRefreshToken(refreshToken) {
      const found = await findToken(db, hashToken(refreshToken));
      if (found?.token.kind !== 'refresh' || found.grant.resource !== domain.resource()) return null;
      const { token, grant } = found;
      if (token.spentAt !== null) {
        await endStolen(domain, grant, 'refresh token');
        return null;
      }
      if (token.expiresAt <= clock.nowIso()) return null;
      return {
        refreshToken,
        scope: namesOf(grant.platforms),
        client: libraryClient(grant.clientId),
        user: { grant, refreshHash: token.tokenHash } satisfies Holder,
      };
    },

    /** It is spent in one transaction with the coming of the new ones: a crash between would leave a client with none. */
    revokeToken: async () => true,

    async saveToken(token, client, user) {
      const holder = user as Holder;
      if (!(await storeTokens(domain, holder, token))) {
        await endStolen(domain, holder.grant, 'refresh token');
        throw new library.InvalidGrantError('Invalid grant: it was used already');
      }
      await domain.grants.refresh(holder.grant.accountId);
      const expiresAt = new Date(Date.now() + ACCESS_TOKEN_MS);
      return {
        ...token,
        accessTokenExpiresAt: expiresAt,
        scope: namesOf(holder.grant.platforms),
        client,
        user,
      };
    },
  };
}

/** A client that proves who it is, as far as it can; one that has no secret must not come with any. */
export async function clientWith(
  db: Db,
  clientId: string,
  secret: string | undefined | null,
): Promise<OAuth2Server.Client | null> {
  const client = await findClient(db, clientId);
  const secretHash = secret ? hashToken(secret) : null;
  return client && client.secretHash === secretHash ? libraryClient(clientId) : null;
}

function libraryClient(id: string): OAuth2Server.Client {
  return { id, grants: ['authorization_code', 'refresh_token'] };
}

/** False: the grant is gone, or its refresh token was spent by somebody else. */
async function storeTokens(
  { store, clock }: AuthorizationDomain,
  { grant, refreshHash }: Holder,
  { accessToken, refreshToken }: OAuth2Server.Token,
): Promise<boolean> {
  const nowIso = clock.nowIso();
  const common = { accountId: grant.accountId, grantId: grant.id, createdAt: nowIso, spentAt: null };
  const access = { ...common, kind: 'access', tokenHash: hashToken(accessToken) } as const;
  const refresh = { ...common, kind: 'refresh', tokenHash: hashToken(refreshToken ?? '') } as const;
  return await store.db.transaction().execute(async (trx) => {
    const isOwed =
      refreshHash === null
        ? (await findGrantByCode(trx, grant.codeHash)) !== undefined
        : await spendToken(trx, refreshHash, nowIso);
    if (!isOwed) return false;
    await replaceTokens(trx, grant.id, [
      { ...access, expiresAt: isoAfter(nowIso, ACCESS_TOKEN_MS) },
      { ...refresh, expiresAt: isoAfter(nowIso, REFRESH_TOKEN_MS) },
    ]);
    await pruneGrants(trx, grant.authorizationId, 'redeemed', MAX_GRANTS);
    return true;
  });
}

/** Something that works once came twice: one of the two who have it has no right to it, so that nobody keeps any. */
async function endStolen(
  { store, clock, grants }: AuthorizationDomain,
  { id, accountId, clientId }: FoundGrant,
  what: 'code' | 'refresh token',
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    if (!(await deleteGrant(trx, id))) return;
    const detail = { grantId: id, what };
    await audit(trx, nobodyOf(accountId), 'mcp_authorization.reuse', clientId, detail, clock.nowIso());
  });
  await grants.refresh(accountId);
}
