import type OAuth2Server from '@node-oauth/oauth2-server';
import { hashToken, newToken } from '../base/ids.ts';
import { changeRows, type Db, findRow } from '../store/database/rows.ts';
import { findGrantByCode, findToken } from '../store/keys/oauth-grants.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import { isWithin, namesOf, platformsNamed } from './scope-names.ts';
import { endStolen, type Holder, repeatedPair, storeTokens } from './stored-tokens.ts';

export type OAuthLibrary = typeof OAuth2Server;

type Model = OAuth2Server.RefreshTokenModel &
  Pick<OAuth2Server.AuthorizationCodeModel, 'getAuthorizationCode' | 'revokeAuthorizationCode'>;

/** Keeps the library from checking expiry with its own clock: the model has already done so with ours. */
const NEVER = new Date(8_640_000_000_000_000);

/**
 * Returns the library's model for one token request. It is made for each request, because the library does not pass the
 * client when it looks up a refresh token. The library's `user` is a `Holder`. `redirectUri`: that of the request, ''
 * without one.
 */
export function tokenModel(domain: AuthorizationDomain, library: OAuthLibrary, redirectUri: string): Model {
  const { store, clock } = domain;
  const { db } = store;
  let askingClientId: string | null = null;
  return {
    async getClient(clientId, secret) {
      const client = await clientWith(db, clientId, secret);
      askingClientId = client && clientId;
      return client;
    },
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
        user: { grant, refreshToken: null } satisfies Holder,
      };
    },

    /** A wrong `redirect_uri` spends the code, as a wrong verifier does. The library would answer `invalid_request`. */
    async revokeAuthorizationCode({ user }) {
      const { grant } = user as Holder;
      const open = { id: grant.id, redeemedAt: null };
      if (!(await changeRows(db, 'oauthGrants', open, { redeemedAt: clock.nowIso() }))) {
        await endStolen(domain, grant, 'code');
        return false;
      }
      if (redirectUri !== '' && redirectUri !== grant.redirectUri)
        throw new library.InvalidGrantError('redirect_uri differs from that of the authorization request');
      return true;
    },

    async getRefreshToken(refreshToken) {
      const found = await findToken(db, hashToken(refreshToken));
      if (found?.token.kind !== 'refresh' || found.grant.resource !== domain.resource()) return null;
      const { token, grant } = found;
      const nowIso = clock.nowIso();
      const mayCome =
        token.spentAt === null ||
        (askingClientId === grant.clientId && repeatedPair(token, refreshToken, nowIso) !== null);
      if (!mayCome) {
        await endStolen(domain, grant, 'refresh token');
        return null;
      }
      if (token.expiresAt <= nowIso) return null;
      return {
        refreshToken,
        scope: namesOf(grant.platforms),
        client: libraryClient(grant.clientId),
        user: { grant, refreshToken } satisfies Holder,
      };
    },

    /** `saveToken` spends the refresh token when it stores the new pair. */
    revokeToken: async () => true,

    async saveToken({ accessToken, refreshToken = '', scope = [] }, client, user) {
      const holder = user as Holder;
      const asked = platformsNamed(scope.join(' ')) ?? null;
      const issued = await storeTokens(domain, holder, { accessToken, refreshToken }, asked);
      if (issued === null) {
        await endStolen(domain, holder.grant, 'refresh token');
        throw new library.InvalidGrantError('Invalid grant: already used');
      }
      if (!isWithin(issued.platforms, asked))
        throw new library.InvalidScopeError(
          'A repeated refresh returns the tokens of the first one, with their scope',
        );
      await domain.grants.refresh(holder.grant.accountId);
      const leftMs = Date.parse(issued.expiresAt) - Date.parse(clock.nowIso());
      return {
        accessToken: issued.accessToken,
        refreshToken: issued.refreshToken,
        scope: namesOf(issued.platforms),
        // A field of the response. From an expiry date the library would count by a clock of its own, and round down.
        expires_in: Math.round(leftMs / 1_000),
        client,
        user,
      };
    },
  };
}

/** Returns the client if its secret is right; null otherwise. A client without a secret must not send one. */
export async function clientWith(
  db: Db,
  clientId: string,
  secret: string | undefined | null,
): Promise<OAuth2Server.Client | null> {
  const client = await findRow(db, 'oauthClients', { clientId });
  const secretHash = secret ? hashToken(secret) : null;
  return client && client.secretHash === secretHash ? libraryClient(clientId) : null;
}

function libraryClient(id: string): OAuth2Server.Client {
  return { id, grants: ['authorization_code', 'refresh_token'] };
}
