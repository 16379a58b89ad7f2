import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { revokeToken } from '../../contract/client-request.ts';
import { idTokenClaims } from '../../contract/id-token.ts';
import type {
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../contract/oauth.ts';
import { field } from '../../contract/platform-json.ts';

/** Hearing a meeting, and finding it by its code (https://developers.google.com/workspace/meet/media-api). */
const MEET_SCOPES = [
  'https://www.googleapis.com/auth/meetings.conference.media.audio.readonly',
  'https://www.googleapis.com/auth/meetings.space.readonly',
];

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
  readonly #tokensUrl: string;

  /** `client` null: the operator has not set it up. */
  constructor(urls: GoogleUrls, client: GoogleClient | null) {
    this.#tokensUrl = urls.tokens;
    this.client = client && {
      authorizationEndpoint: `${urls.accounts}/o/oauth2/v2/auth`,
      tokenEndpoint: `${urls.tokens}/token`,
      ...client,
      authentication: 'form',
      scope: ['openid', 'profile', 'email', ...MEET_SCOPES].join(' '),
      pkce: true,
      // Google issues a refresh token only with these, and the second time only with consent.
      parameters: { access_type: 'offline', prompt: 'consent' },
    };
  }

  /** People may untick single permissions. */
  async identify(tokens: FreshTokens): Promise<RemoteIdentity> {
    const granted = `${tokens.answer.scope ?? ''}`.split(' ');
    const missing = MEET_SCOPES.filter((scope) => !granted.includes(scope));
    if (missing.length > 0)
      throw new GatewayError('connect_refused', `these permissions were not granted: ${missing.join(', ')}`);
    const { sub, name, email } = idTokenClaims(tokens, this.client?.clientId ?? '', Claims);
    return { providerUserId: sub, label: name ?? email ?? sub, email: email ?? null, person: null };
  }

  /** Revoking a refresh token ends the access tokens that came from it. */
  async revoke({ refreshToken, accessToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    await revokeToken(null, `${this.#tokensUrl}/revoke`, refreshToken ?? accessToken, signal);
  }

  /** Nothing is asked for in people's names yet. */
  onConnections(): void {}

  connected(): void {}

  disconnected(): void {}
}
