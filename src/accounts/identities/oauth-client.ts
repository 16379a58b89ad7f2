import type { Configuration } from 'openid-client';
import type { SignInSecrets } from './identity-provider.ts';

/** For every single request to a provider. */
export const REQUEST_DEADLINE_S = 10;

/** How the gateway is known to a provider. */
export interface OAuthClientOptions {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Most installations never sign anybody in elsewhere, so the library is loaded when somebody first does. */
export const loadLibrary = () => import('openid-client');
export type OAuthLibrary = Awaited<ReturnType<typeof loadLibrary>>;

/** The library, and what it has to know of one provider. */
export interface OAuthConnection {
  readonly library: OAuthLibrary;
  readonly configuration: Configuration;
}

/** Where a browser goes to sign in, with state and PKCE (RFC 7636) and what else the provider takes. */
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
