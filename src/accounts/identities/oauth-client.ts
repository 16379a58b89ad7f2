import type { Configuration } from 'openid-client';
import type { SignInSecrets } from './identity-provider.ts';

/** Timeout of each request to a provider. */
export const REQUEST_DEADLINE_S = 10;

/** The gateway's registration as a client of a provider. */
export interface OAuthClientOptions {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Loads the library on the first sign-in with a provider: most installations never need it. */
export const loadLibrary = () => import('openid-client');
export type OAuthLibrary = Awaited<ReturnType<typeof loadLibrary>>;

/** The library with its configuration for one provider. */
export interface OAuthConnection {
  readonly library: OAuthLibrary;
  readonly configuration: Configuration;
}

/** Returns the URL at which the browser signs in, with state, PKCE (RFC 7636) and the given parameters. */
export async function authorizationHref(
  { library, configuration }: OAuthConnection,
  { state, codeVerifier }: SignInSecrets,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const url = library.buildAuthorizationUrl(configuration, {
    ...parameters,
    state,
    code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}
