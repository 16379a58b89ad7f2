import { assert } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type {
  Connection,
  ConnectionTokens,
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../../src/connectors/contract/oauth.ts';
import type { Logins } from './logins.ts';
import { Me } from './vendor-messages.ts';

/** The gateway as a client of the vendor's authorization server. */
export interface OAuthOptions {
  readonly authorizationUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Connections of people to their own account at the vendor. */
export class LoopbackOAuth implements ConnectsByOAuth {
  readonly client: OAuthClient;
  readonly #revocationEndpoint: string;
  readonly #logins: Logins;
  #tokens: ConnectionTokens | null = null;

  constructor({ authorizationUrl, ...client }: OAuthOptions, logins: Logins) {
    this.client = {
      ...client,
      authorizationEndpoint: `${authorizationUrl}/auth`,
      tokenEndpoint: `${authorizationUrl}/token`,
      authentication: 'basic',
      scope: 'openid calls messages',
      pkce: true,
      parameters: {},
    };
    this.#revocationEndpoint = `${authorizationUrl}/token/revocation`;
    this.#logins = logins;
  }

  async identify({ accessToken }: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity> {
    const api = this.#logins.apiFor({ token: async () => accessToken, refused: async () => null });
    try {
      const { id, name, email } = await api.call({ method: 'GET', path: 'me' }, Me, signal);
      return { providerUserId: id, label: name, email, person: null };
    } catch (error) {
      throw new GatewayError('platform_failed', (error as Error).message);
    }
  }

  async revoke({ refreshToken, accessToken }: OAuthTokens, signal: AbortSignal): Promise<void> {
    const { clientId, clientSecret } = this.client;
    const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const response = await fetch(this.#revocationEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ token: refreshToken ?? accessToken }),
      signal,
    });
    assert(response.ok, `the vendor answered ${response.status}`);
  }

  onConnections(tokens: ConnectionTokens): void {
    this.#tokens = tokens;
  }

  connected({ id, label }: Connection): void {
    const tokens = this.#tokens;
    assert(tokens !== null, 'onConnections comes before connections');
    const source = {
      token: () => tokens.accessToken(id),
      refused: (token: string) => tokens.refused(id, token),
    };
    this.#logins.connect(id, source, label, ({ status }) => tokens.report(id, status));
  }

  disconnected(connectionId: string): void {
    void this.#logins.bots.removeBot(connectionId);
  }
}
