import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../src/base/errors.ts';
import type { Platform } from '../../src/base/platform.ts';
import type {
  Connection,
  ConnectionTokens,
  ConnectsByOAuth,
  FreshTokens,
  OAuthClient,
  OAuthTokens,
  RemoteIdentity,
} from '../../src/connectors/contract/oauth.ts';
import { IdentityProviderPeer } from './identity-provider.ts';

const HOUR_S = 3_600;

/** Answers one request to the token endpoint in place of the platform. */
type TokenFault = (response: ServerResponse, request: IncomingMessage) => void;

/**
 * A platform that is connected by OAuth: a real authorization server (the npm package oidc-provider, with rotating
 * refresh tokens and PKCE) on loopback, and the connector that declares it.
 */
export class OAuthPlatform implements ConnectsByOAuth {
  readonly platform: Platform;
  readonly peer: IdentityProviderPeer;
  /** Seconds that access tokens last. */
  static readonly lifetimeS = HOUR_S;
  client: OAuthClient | null;
  tokens: ConnectionTokens | null = null;
  /** What was handed over and not taken back, by id. */
  readonly connections = new Map<string, Connection>();
  /** Ids that were taken back. */
  readonly ended: string[] = [];
  readonly revoked: OAuthTokens[] = [];
  /** Requests to the token endpoint, to exchange a code or to refresh. */
  tokenRequests = 0;
  /** Whose tokens they are; null: the authorization server says so. */
  identity: ((tokens: FreshTokens) => RemoteIdentity) | null = null;
  /** Runs before an account is identified. */
  beforeIdentify: (tokens: FreshTokens) => unknown = () => undefined;
  /** Runs before access is revoked. */
  beforeRevoke: () => unknown = () => undefined;
  readonly #faults: TokenFault[] = [];

  private constructor(platform: Platform, peer: IdentityProviderPeer) {
    this.platform = platform;
    this.peer = peer;
    this.client = {
      authorizationEndpoint: `${peer.issuer}/auth`,
      tokenEndpoint: `${peer.issuer}/token`,
      clientId: IdentityProviderPeer.clientId,
      clientSecret: IdentityProviderPeer.clientSecret,
      authentication: 'form',
      scope: 'openid email profile',
      pkce: true,
      parameters: { access_type: 'offline' },
    };
    peer.intercept = (request, response) => this.#intercept(request, response);
  }

  static async start(platform: Platform): Promise<OAuthPlatform> {
    const peer = await IdentityProviderPeer.start('127.0.0.1', {
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      pkce: { required: () => true },
      ttl: {
        AccessToken: OAuthPlatform.lifetimeS,
        RefreshToken: 24 * HOUR_S,
        Grant: 24 * HOUR_S,
        IdToken: HOUR_S,
        Interaction: HOUR_S,
        Session: HOUR_S,
      },
    });
    return new OAuthPlatform(platform, peer);
  }

  get provides(): { readonly oauth: ConnectsByOAuth } {
    return { oauth: this };
  }

  async stop(): Promise<void> {
    await this.peer.stop();
  }

  /** Prepares what the token endpoint does with its next requests, one each. */
  will(...faults: TokenFault[]): void {
    this.#faults.push(...faults);
  }

  async identify(tokens: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity> {
    await this.beforeIdentify(tokens);
    if (this.identity !== null) return this.identity(tokens);
    const answer = await this.userinfo(tokens.accessToken, signal);
    if (!answer.ok) throw new GatewayError('platform_failed', `HTTP status ${answer.status}`);
    const { sub, name, email } = (await answer.json()) as { sub: string; name?: string; email?: string };
    return { providerUserId: sub, label: name ?? sub, email: email ?? null, person: null };
  }

  /** Uses an access token at the platform. */
  async userinfo(accessToken: string, signal?: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return await fetch(`${this.peer.issuer}/me`, { headers, ...(signal ? { signal } : {}) });
  }

  async revoke(tokens: OAuthTokens, signal: AbortSignal): Promise<void> {
    this.revoked.push(tokens);
    await this.beforeRevoke();
    const { clientId, clientSecret } = this.client!;
    const token = tokens.refreshToken ?? tokens.accessToken;
    const answer = await fetch(`${this.peer.issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret }),
      signal,
    });
    if (!answer.ok) throw new Error(`revocation answers ${answer.status}`);
  }

  onConnections(tokens: ConnectionTokens): void {
    this.tokens = tokens;
  }

  connected(connection: Connection): void {
    this.connections.set(connection.id, connection);
  }

  disconnected(connectionId: string): void {
    this.connections.delete(connectionId);
    this.ended.push(connectionId);
  }

  #intercept(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST' || request.url !== '/token') return false;
    this.tokenRequests += 1;
    const fault = this.#faults.shift();
    if (fault === undefined) return false;
    fault(response, request);
    return true;
  }
}

/** Answers with JSON. */
export function answersJson(status: number, body: unknown): TokenFault {
  return (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
