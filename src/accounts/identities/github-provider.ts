import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import {
  addressOf,
  authorizationHref,
  type IdentityProvider,
  type LoginConnection,
  loadLibrary,
  type OAuthClientOptions,
  type ProvenIdentity,
  REQUEST_DEADLINE_S,
  type SignInSecrets,
  signInFailure,
} from './identity-provider.ts';

const SCOPE = 'read:user user:email';

const User = z.object({ id: z.int(), login: z.string(), name: z.string().nullish() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub, which supports OAuth 2.0 without ID tokens. State and PKCE protect the sign-in, as there is no nonce. The
 * identity comes from the API, called with the new access token. An issuer other than github.com is a GitHub Enterprise
 * Server.
 */
export class GithubProvider implements IdentityProvider {
  readonly name: string;
  readonly #options: OAuthClientOptions;
  readonly #site: string;
  readonly #api: string;

  constructor(options: OAuthClientOptions) {
    this.name = options.name;
    this.#options = options;
    this.#site = options.issuer.replace(/(?<!\/)\/+$/, '');
    this.#api = this.#site === 'https://github.com' ? 'https://api.github.com' : `${this.#site}/api/v3`;
  }

  async authorizationUrl(secrets: SignInSecrets, callbackUrl: string): Promise<string> {
    return await authorizationHref(await this.#connect(), secrets, {
      redirect_uri: callbackUrl,
      scope: SCOPE,
    });
  }

  async identify(secrets: SignInSecrets, callback: URL): Promise<ProvenIdentity> {
    try {
      const connection = await this.#connect();
      const { access_token: token } = await connection.library.authorizationCodeGrant(
        connection.configuration,
        callback,
        { expectedState: secrets.state, pkceCodeVerifier: secrets.codeVerifier },
      );
      const user = User.parse(await this.#ask(connection, token, '/user'));
      const emails = Emails.parse(await this.#ask(connection, token, '/user/emails'));
      const chosen = emails.find(({ primary }) => primary);
      return {
        provider: this.name,
        // Logins can be renamed and reused by another person; the numeric id is permanent.
        subject: `${user.id}`,
        email: addressOf(chosen?.email),
        emailVerified: chosen?.verified === true,
        name: user.name || user.login,
      };
    } catch (error) {
      throw signInFailure(error);
    }
  }

  async #ask({ library, configuration }: LoginConnection, token: string, path: string): Promise<unknown> {
    const url = new URL(`${this.#api}${path}`);
    const headers = new Headers({ Accept: 'application/vnd.github+json' });
    const answer = await library.fetchProtectedResource(configuration, token, url, 'GET', null, headers);
    if (!answer.ok) throw new GatewayError('identity_provider_failed');
    return await answer.json();
  }

  async #connect(): Promise<LoginConnection> {
    const library = await loadLibrary();
    const { clientId, clientSecret } = this.#options;
    const configuration = new library.Configuration(
      {
        issuer: this.#site,
        authorization_endpoint: `${this.#site}/login/oauth/authorize`,
        token_endpoint: `${this.#site}/login/oauth/access_token`,
      },
      clientId,
      clientSecret,
    );
    configuration.timeout = REQUEST_DEADLINE_S;
    if (this.#site.startsWith('http:')) library.allowInsecureRequests(configuration);
    return { library, configuration };
  }
}
