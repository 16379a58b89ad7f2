import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import { revokeToken } from '../../contract/client-request.ts';
import type {
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../contract/oauth.ts';
import { idTokenClaims } from '../../kit/id-token.ts';

/** Finding a meeting by its code, and who is in it (https://developers.google.com/workspace/meet/api/guides/overview). */
const READ_SCOPE = 'https://www.googleapis.com/auth/meetings.space.readonly';
/** Making meetings. Who unticks it joins those of others only. */
const CREATE_SCOPE = 'https://www.googleapis.com/auth/meetings.space.created';

/** https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload */
const Claims = z.object({
  aud: z.string(),
  iss: z.enum(['https://accounts.google.com', 'accounts.google.com']),
  sub: z.string().min(1),
  name: field(z.string()),
  email: field(z.email()),
});

/** The gateway's project, as a client of Google. */
export interface GoogleClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Google's hosts, without trailing slashes. */
export interface GoogleUrls {
  /** Where people sign in. */
  readonly accounts: string;
  readonly tokens: string;
}

/** Google accounts (https://developers.google.com/identity/protocols/oauth2/web-server). */
export class GoogleOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient | null;
  readonly onConnections: ConnectsByOAuth['onConnections'];
  readonly #tokensUrl: string;

  /** `client` null: the operator has not set it up. `onConnections`: takes the source of access tokens. */
  constructor(
    urls: GoogleUrls,
    client: GoogleClient | null,
    onConnections: ConnectsByOAuth['onConnections'],
  ) {
    this.onConnections = onConnections;
    this.#tokensUrl = urls.tokens;
    this.client = client && {
      authorizationEndpoint: `${urls.accounts}/o/oauth2/v2/auth`,
      tokenEndpoint: `${urls.tokens}/token`,
      ...client,
      authentication: 'form',
      scope: ['openid', 'profile', 'email', READ_SCOPE, CREATE_SCOPE].join(' '),
      pkce: true,
      // Google issues a refresh token only with these, and the second time only with consent.
      parameters: { access_type: 'offline', prompt: 'consent' },
    };
  }

  /** People may untick single permissions. */
  async identify(tokens: FreshTokens): Promise<RemoteIdentity> {
    const granted = `${tokens.answer.scope ?? ''}`.split(' ');
    if (!granted.includes(READ_SCOPE))
      throw new GatewayError('connect_refused', `this permission was not granted: ${READ_SCOPE}`);
    const { sub, name, email } = idTokenClaims(tokens, this.client?.clientId ?? '', Claims);
    return { providerUserId: sub, label: name ?? email ?? sub, email: email ?? null, person: null };
  }

  /** Revoking a refresh token ends the access tokens that came from it. */
  async revoke({ refreshToken, accessToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    await revokeToken(null, `${this.#tokensUrl}/revoke`, refreshToken ?? accessToken, signal);
  }

  connected(): void {}

  disconnected(): void {}
}
