import { GatewayError } from '../../base/errors.ts';

/** What a browser takes to a provider, and what only the gateway knows meanwhile. */
export interface SignInSecrets {
  /** Comes back in the callback's address. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** PKCE (RFC 7636): shown when the code is redeemed. */
  readonly codeVerifier: string;
}

/** Who somebody is, as a provider has proved it. */
export interface ProvenIdentity {
  readonly provider: string;
  /** The provider's own name for the person, which it never gives to another. */
  readonly subject: string;
  /** In lower case. */
  readonly email: string | null;
  /** The provider vouches that the address is the person's; an address without this proves nothing. */
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** Somewhere else that people can sign in. */
export interface IdentityProvider {
  readonly name: string;
  /** Where the browser goes to sign in. Throws `identity_provider_failed`. */
  authorizationUrl(secrets: SignInSecrets, callbackUrl: string): Promise<string>;
  /**
   * Redeems what the browser brought back to the callback's address. Throws `sign_in_refused` when it proves nothing,
   * `identity_provider_failed` when the provider cannot be asked.
   */
  identify(secrets: SignInSecrets, callback: URL): Promise<ProvenIdentity>;
}

/** What openid-client says of answers that are wrong, whoever made them wrong. */
const REFUSING_CODES: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
]);

/** A code that was used, is too old, or belongs to another sign-in (RFC 6749, section 5.2). */
const USED_CODE = 'invalid_grant';

/** Whose fault it is that a sign-in failed: the browser's answer was wrong, or the provider could not be asked. */
export function signInFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { name, code, error: reason } = error as { name?: unknown; code?: unknown; error?: unknown };
  const refused = name === 'AuthorizationResponseError' || reason === USED_CODE || REFUSING_CODES.has(code);
  return new GatewayError(refused ? 'sign_in_refused' : 'identity_provider_failed', undefined, {
    cause: error,
  });
}

/** Providers write addresses as their users did. */
export function addressOf(email: unknown): string | null {
  return typeof email === 'string' && email.includes('@') ? email.toLowerCase() : null;
}
