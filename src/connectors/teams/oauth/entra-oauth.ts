import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { AsksAdmins } from '../../contract/admin-consent.ts';
import type { ConnectsByOAuth, FreshTokens, OAuthClient, RemoteIdentity } from '../../contract/oauth.ts';
import { idTokenClaims } from '../../kit/id-token.ts';
import { EntraAdminConsent } from './entra-admin-consent.ts';

/** What people are asked for: who they are, tokens that can be refreshed, and the numbers of their meetings. */
const SCOPE = 'openid profile email offline_access User.Read OnlineMeetings.ReadWrite';

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const Claims = z.object({
  aud: z.string(),
  iss: z.string(),
  /** The user, in the directory of a tenant. */
  oid: z.guid(),
  tid: z.guid(),
  name: field(z.string()),
  email: field(z.email()),
  preferred_username: field(z.string()),
});

/** The gateway's application, as a client of Microsoft Entra ID. */
export interface EntraApplication {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface EntraOptions {
  /** The cloud's login endpoint and Microsoft Graph, without trailing slashes. */
  readonly loginUrl: string;
  readonly graphUrl: string;
  /** `organizations`, or the id or a domain of the only tenant whose people may connect. */
  readonly tenant: string;
  /** Null: the operator has not set it up. */
  readonly application: EntraApplication | null;
  /** Whether people write to a bot that all accounts share. */
  readonly hasSharedBot: boolean;
  /** Takes the source of access tokens. */
  readonly onConnections: ConnectsByOAuth['onConnections'];
}

/**
 * Microsoft accounts of work or school
 * (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow). Entra has no endpoint that revokes the
 * tokens of one application, so `revoke` is absent.
 */
export class EntraOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient | null;
  readonly adminConsent: AsksAdmins;
  readonly onConnections: ConnectsByOAuth['onConnections'];
  readonly #hasSharedBot: boolean;

  constructor({ loginUrl, graphUrl, tenant, application, hasSharedBot, onConnections }: EntraOptions) {
    this.onConnections = onConnections;
    this.#hasSharedBot = hasSharedBot;
    this.adminConsent = new EntraAdminConsent({ loginUrl, graphUrl, clientId: application?.clientId ?? '' });
    this.client = application && {
      authorizationEndpoint: `${loginUrl}/${tenant}/oauth2/v2.0/authorize`,
      tokenEndpoint: `${loginUrl}/${tenant}/oauth2/v2.0/token`,
      ...application,
      authentication: 'form',
      scope: SCOPE,
      pkce: true,
      parameters: { response_mode: 'query', prompt: 'select_account' },
    };
  }

  /** An object id is unique only in its tenant. */
  async identify(tokens: FreshTokens): Promise<RemoteIdentity> {
    const claims = idTokenClaims(tokens, this.client?.clientId ?? '', Claims);
    const tenantId = claims.tid.toLowerCase();
    if (!claims.iss.toLowerCase().endsWith(`/${tenantId}/v2.0`))
      throw new GatewayError('platform_failed', 'The ID token is from another tenant than it says');
    const userId = `${tenantId}:${claims.oid.toLowerCase()}`;
    const address = claims.email ?? z.email().safeParse(claims.preferred_username).data ?? null;
    return {
      providerUserId: userId,
      label: claims.name ?? address ?? claims.preferred_username ?? userId,
      email: address,
      person: this.#hasSharedBot ? { id: userId, login: 'shared' } : null,
    };
  }

  connected(): void {}

  disconnected(): void {}
}
