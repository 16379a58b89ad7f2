import type { ClientAuth, IDToken, UserInfoResponse } from 'openid-client';
import {
  addressOf,
  authorizationHref,
  type IdentityProvider,
  type LoginConnection,
  loadLibrary,
  type OAuthClientOptions,
  type OAuthLibrary,
  type ProvenIdentity,
  REQUEST_DEADLINE_S,
  type SignInSecrets,
  signInFailure,
} from './identity-provider.ts';

const SCOPE = 'openid email profile';

/** A provider that supports OpenID Connect: authorization code flow with PKCE and nonce, and checked signatures. */
export class OpenIdProvider implements IdentityProvider {
  readonly name: string;
  readonly #options: OAuthClientOptions;
  #connection: Promise<LoginConnection> | null = null;

  constructor(options: OAuthClientOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async authorizationUrl(secrets: SignInSecrets, callbackUrl: string): Promise<string> {
    try {
      return await authorizationHref(await this.#connected(), secrets, {
        redirect_uri: callbackUrl,
        scope: SCOPE,
        nonce: secrets.nonce,
      });
    } catch (error) {
      throw signInFailure(error);
    }
  }

  async identify(secrets: SignInSecrets, callback: URL): Promise<ProvenIdentity> {
    try {
      return await this.#identify(secrets, callback);
    } catch (error) {
      throw signInFailure(error);
    }
  }

  async #identify(secrets: SignInSecrets, callback: URL): Promise<ProvenIdentity> {
    const connection = await this.#connected();
    const tokens = await connection.library.authorizationCodeGrant(connection.configuration, callback, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.codeVerifier,
      idTokenExpected: true,
    });
    const idToken = tokens.claims()!;
    const claims = await this.#claimsWithEmail(connection, tokens.access_token, idToken);
    return {
      provider: this.name,
      subject: idToken.sub,
      email: addressOf(claims.email),
      emailVerified: claims.email_verified === true,
      name: typeof claims.name === 'string' ? claims.name : null,
    };
  }

  /**
   * Returns claims with the address. Many providers leave it out of the ID token and return it from the userinfo
   * endpoint.
   */
  async #claimsWithEmail(
    { library, configuration }: LoginConnection,
    accessToken: string,
    idToken: IDToken,
  ): Promise<IDToken | UserInfoResponse> {
    const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (idToken.email !== undefined || !canAsk) return idToken;
    return await library.fetchUserInfo(configuration, accessToken, idToken.sub);
  }

  /** Fetches the provider's metadata once. A failure is not cached. */
  #connected(): Promise<LoginConnection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<LoginConnection> {
    const library = await loadLibrary();
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    const insecure = server.protocol === 'http:' ? [library.allowInsecureRequests] : [];
    const configuration = await library.discovery(
      server,
      clientId,
      clientSecret,
      authentication(library, clientSecret),
      { timeout: REQUEST_DEADLINE_S, execute: [library.enableNonRepudiationChecks, ...insecure] },
    );
    return { library, configuration };
  }
}

/**
 * Sends the client secret by POST if the provider supports that. Providers differ in how they encode it for HTTP Basic,
 * the standard's other method.
 */
function authentication(library: OAuthLibrary, clientSecret: string): ClientAuth {
  const post = library.ClientSecretPost(clientSecret);
  const basic = library.ClientSecretBasic(clientSecret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    return (methods?.includes('client_secret_post') ? post : basic)(server, client, body, headers);
  };
}
