import type { Configuration } from 'openid-client';
import { GatewayError } from '../../base/errors.ts';

/**
 * The secrets of one sign-in. `state` and `nonce` go to the provider with the browser; only the gateway knows the code
 * verifier meanwhile.
 */
export interface SignInSecrets {
  /** Returned in the query of the callback. */
  readonly state: string;
  /** Returned in the ID token. */
  readonly nonce: string;
  /** PKCE (RFC 7636): sent when the code is redeemed. */
  readonly codeVerifier: string;
}

/** A person's identity as proven by a provider. */
export interface ProvenIdentity {
  readonly provider: string;
  /** The provider's id of the person, which it never reassigns. */
  readonly subject: string;
  /** In lower case. */
  readonly email: string | null;
  /** Whether the provider verified that the address belongs to the person. An unverified address proves nothing. */
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** An external provider that people can sign in with. */
export interface IdentityProvider {
  readonly name: string;
  /** Returns the URL at which the browser signs in. Throws `identity_provider_failed`. */
  authorizationUrl(secrets: SignInSecrets, callbackUrl: string): Promise<string>;
  /**
   * Redeems the code in the callback URL and returns the identity. Throws `sign_in_refused` when the response proves
   * none, `identity_provider_failed` when the provider cannot be reached.
   */
  identify(secrets: SignInSecrets, callback: URL): Promise<ProvenIdentity>;
}

/** Error codes of openid-client for invalid responses, whether the browser or the provider caused them. */
const REFUSING_CODES: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
]);

/** The error for a code that was used, has expired, or belongs to another sign-in (RFC 6749, section 5.2). */
const USED_CODE = 'invalid_grant';

/**
 * Maps an error to `sign_in_refused` when the browser's response was invalid, and to `identity_provider_failed` when
 * the provider could not be used.
 */
export function signInFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { name, code, error: reason } = error as { name?: unknown; code?: unknown; error?: unknown };
  const refused = name === 'AuthorizationResponseError' || reason === USED_CODE || REFUSING_CODES.has(code);
  return new GatewayError(refused ? 'sign_in_refused' : 'identity_provider_failed', undefined, {
    cause: error,
  });
}

/**
 * Returns a provider's address in lower case, since providers keep the spelling that users typed; null for anything
 * else.
 */
export function addressOf(email: unknown): string | null {
  return typeof email === 'string' && email.includes('@') ? email.toLowerCase() : null;
}

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
export interface LoginConnection {
  readonly library: OAuthLibrary;
  readonly configuration: Configuration;
}

/** Returns the URL at which the browser signs in, with state, PKCE (RFC 7636) and the given parameters. */
export async function authorizationHref(
  { library, configuration }: LoginConnection,
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
