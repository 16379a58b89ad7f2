/// <reference path="./oidc-provider.d.ts" />
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { endVisit, quietly } from './oidc-visits.ts';

const HOUR_S = 3_600;

/** A person as the provider knows it. */
export interface KnownPerson {
  readonly subject: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
}

/** A real OpenID provider (the npm package oidc-provider) on loopback, which signs every visitor in as `person`. */
export class IdentityProviderPeer {
  static readonly clientId = 'gateway';
  static readonly clientSecret = 'secret-of-the-gateway-at-the-provider';
  readonly issuer: string;
  person: KnownPerson = { subject: 'nobody' };
  /** Has tokens made as if this much earlier, so that they are long over when they arrive. */
  tokensMadeEarlierMs = 0;
  /** Whether the person denies consent. */
  refuses = false;
  /** Answers a request in place of the provider; false leaves it to the provider. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #server: Server;
  readonly #more: Readonly<Record<string, unknown>>;

  private constructor(server: Server, host: string, more: Readonly<Record<string, unknown>>) {
    this.#server = server;
    this.#more = more;
    this.issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  /** `host`: a name of this machine under which the provider is found. `more`: further configuration of the package. */
  static async start(
    host = '127.0.0.1',
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<IdentityProviderPeer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new IdentityProviderPeer(server, host, more);
  }

  /** What a gateway has to be told of it, under the name `acme`. */
  get settings(): Record<string, string> {
    return {
      SVC_OIDC_ACME_ISSUER: this.issuer,
      SVC_OIDC_ACME_CLIENT_ID: IdentityProviderPeer.clientId,
      SVC_OIDC_ACME_CLIENT_SECRET: IdentityProviderPeer.clientSecret,
    };
  }

  /** Opens for a gateway whose callback is there; before that no request is answered. */
  allow(redirectUri: string): void {
    const answer = quietly(() => this.#provider(redirectUri)).callback();
    this.#server.on('request', (request, response) => {
      if (!this.intercept(request, response)) void answer(request, response);
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #provider(redirectUri: string): Provider {
    const provider: Provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: IdentityProviderPeer.clientId,
          client_secret: IdentityProviderPeer.clientSecret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true, allowedPolicy: () => true },
      },
      cookies: { keys: ['only for tests'] },
      ttl: { AccessToken: HOUR_S, Grant: HOUR_S, IdToken: HOUR_S, Interaction: HOUR_S, Session: HOUR_S },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, subject) => ({
        accountId: subject,
        claims: () => ({
          sub: subject,
          email: this.person.email,
          email_verified: this.person.emailVerified,
          name: this.person.name,
        }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new provider.Grant({
          clientId: IdentityProviderPeer.clientId,
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      ...this.#more,
    });
    provider.use((context, next) =>
      endVisit(provider, context, next, { accountId: this.person.subject, refuses: this.refuses }),
    );
    provider.use((context, next) => this.#turnBack(context.path, next));
    return provider;
  }

  async #turnBack(path: string, next: () => Promise<unknown>): Promise<void> {
    const { now } = Date;
    const earlierMs = this.tokensMadeEarlierMs;
    if (path === '/token' && earlierMs > 0) Date.now = () => now() - earlierMs;
    try {
      await next();
    } finally {
      Date.now = now;
    }
  }
}
