/// <reference path="../../support/oidc-provider.d.ts" />
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { endVisit, quietly } from '../../support/oidc-visits.ts';
import type { Account, Accounts } from './accounts.ts';

const HOUR_S = 3_600;
const SCOPES = ['openid', 'calls', 'messages'];

/**
 * The vendor's authorization server (the npm package oidc-provider) for one client, the gateway: authorization code
 * with PKCE, refresh tokens that rotate, revocation (RFC 7009). Every visitor is `visitor`, and agrees.
 */
export class AuthorizationServer {
  readonly clientId = 'gateway';
  readonly clientSecret = 'secret-of-the-gateway-at-the-loopback-vendor';
  readonly url: string;
  visitor: Account | null = null;
  /** Whether the visitor denies consent. */
  refuses = false;
  /** What the visitor agrees to. */
  granted: readonly string[] = SCOPES;
  /** Life of an access token in seconds. */
  tokenLifeS = HOUR_S;
  /** Requests of the client to revoke a token (RFC 7009). */
  revocations = 0;
  readonly #server: Server;
  readonly #accounts: Accounts;
  /** By account. */
  readonly #grants = new Map<string, string[]>();
  #provider: Provider | null = null;

  private constructor(server: Server, accounts: Accounts) {
    this.#server = server;
    this.#accounts = accounts;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(accounts: Accounts): Promise<AuthorizationServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AuthorizationServer(server, accounts);
  }

  /** Opens for a client whose callback is there; before that no request is answered. */
  allow(redirectUri: string): void {
    this.#provider = quietly(() => this.#newProvider(redirectUri));
    this.#server.on('request', this.#provider.callback());
  }

  /** The account and scopes of an access token; null when it is unknown, over or revoked. */
  async holderOf(token: string): Promise<{ account: Account; scopes: string[] } | null> {
    const found = await this.#provider?.AccessToken.find(token);
    const account = found && this.#accounts.find(found.accountId);
    return account ? { account, scopes: found.scope?.split(' ') ?? [] } : null;
  }

  /** Ends everything that the account has granted, as its owner can do in the vendor's settings. */
  async revoke(account: Account): Promise<void> {
    for (const grantId of this.#grants.get(account.id) ?? [])
      await this.#provider?.AccessToken.revokeByGrantId(grantId);
    this.#grants.delete(account.id);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #newProvider(redirectUri: string): Provider {
    const provider: Provider = new Provider(this.url, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      scopes: SCOPES,
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true, allowedPolicy: () => true },
      },
      cookies: { keys: ['only for tests'] },
      ttl: {
        AccessToken: () => this.tokenLifeS,
        Grant: HOUR_S,
        IdToken: HOUR_S,
        Interaction: HOUR_S,
        RefreshToken: HOUR_S,
        Session: HOUR_S,
      },
      issueRefreshToken: () => true,
      rotateRefreshToken: () => true,
      expiresWithSession: () => false,
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      loadExistingGrant: async ({ oidc }) => {
        const accountId = oidc.session?.accountId ?? '';
        const grant = new provider.Grant({ clientId: this.clientId, accountId });
        grant.addOIDCScope(this.granted.join(' '));
        const grantId = await grant.save();
        this.#grants.set(accountId, [...(this.#grants.get(accountId) ?? []), grantId]);
        return grant;
      },
    });
    provider.use((context, next) => {
      if (context.path === '/token/revocation') this.revocations++;
      return endVisit(provider, context, next, {
        accountId: this.visitor?.id ?? '',
        refuses: this.refuses,
      });
    });
    return provider;
  }
}
