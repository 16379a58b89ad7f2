import { GatewayError } from '../base/errors.ts';
import type { Platform } from '../base/platform.ts';
import { findRow } from '../store/database/rows.ts';
import type { OauthClient } from '../store/keys/oauth-clients.ts';
import { type AuthorizationDomain, isResource } from './authorization-domain.ts';
import { documentClient, isDocumentUrl } from './client-documents.ts';
import { isRedirectUri, isSameRedirect, redirectTo } from './redirect-uris.ts';
import { platformsNamed, SCOPE_NAMES } from './scope-names.ts';

/** SHA-256 in base64url. */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Parameters of a request to the authorization endpoint; '' for those left out. */
export interface AskedParameters {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly response_type: string;
  readonly state: string;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  readonly resource: string;
  readonly scope: string;
  /** Names of parameters that occur more than once. */
  readonly repeated?: readonly string[];
}

/** A valid authorization request, with the PKCE challenge by which the client later proves that it sent the request. */
export interface AuthorizationRequest {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly state: string;
  readonly codeChallenge: string;
  /** The requested platforms; null: all. */
  readonly platforms: ReadonlySet<Platform> | null;
}

type RefusalCode =
  | 'access_denied'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_response_type';

type Refuse = (code: RefusalCode, description: string) => AuthorizationRefused;

/** An error that the browser takes to the client (RFC 6749, section 4.1.2.1). */
export class AuthorizationRefused extends Error {
  readonly code: RefusalCode;
  /** The URL to redirect the browser to. */
  readonly location: string;

  constructor(
    code: RefusalCode,
    description: string,
    { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
    issuer: string,
  ) {
    super(description);
    this.code = code;
    this.location = redirectTo(redirectUri, {
      error: code,
      error_description: description,
      state,
      iss: issuer,
    });
  }
}

/**
 * Validates an authorization request. Throws `client_unknown`, `redirect_unknown` and `parameter_repeated`, which are
 * shown to the person without a redirect, because the redirect URI cannot be trusted. Throws AuthorizationRefused for
 * other faults, and TooManyAttempts.
 */
export async function readAuthorizationRequest(
  domain: AuthorizationDomain,
  asked: AskedParameters,
  ip: string,
): Promise<AuthorizationRequest> {
  assertNamedOnce(asked);
  const { state, redirect_uri: redirectUri } = asked;
  const client = await clientOf(domain, asked.client_id, ip);
  if (!isRedirectUri(redirectUri) || !client.redirectUris.some((known) => isSameRedirect(known, redirectUri)))
    throw new GatewayError('redirect_unknown');
  const refuse: Refuse = (code, description) =>
    new AuthorizationRefused(code, description, { redirectUri, state }, domain.issuer());
  const fault = faultIn(domain, asked);
  if (fault !== null) throw refuse(...fault);
  const platforms = platformsNamed(asked.scope);
  if (platforms === undefined)
    throw refuse('invalid_scope', `scope must be one or more of ${SCOPE_NAMES.join(' ')}`);
  return { client, redirectUri, state, codeChallenge: asked.code_challenge, platforms };
}

/** The refusal of a request that the person denied. */
export function denied({ issuer }: AuthorizationDomain, request: AuthorizationRequest): AuthorizationRefused {
  return new AuthorizationRefused('access_denied', 'The user denied the request', request, issuer());
}

async function clientOf(domain: AuthorizationDomain, clientId: string, ip: string): Promise<OauthClient> {
  const client = isDocumentUrl(clientId)
    ? await documentClient(domain, clientId, ip)
    : await findRow(domain.store.db, 'oauthClients', { clientId });
  if (!client) throw new GatewayError('client_unknown');
  return client;
}

/**
 * Throws `parameter_repeated` when the client or its redirect URI is ambiguous, since nothing may be sent there then.
 */
function assertNamedOnce({ repeated = [] }: AskedParameters): void {
  if (repeated.includes('client_id') || repeated.includes('redirect_uri'))
    throw new GatewayError('parameter_repeated');
}

/**
 * Returns the first fault of the request. PKCE with S256 is required (OAuth 2.1, section 4.1.1); `plain` is refused.
 */
function faultIn(domain: AuthorizationDomain, asked: AskedParameters): Parameters<Refuse> | null {
  if (asked.repeated && asked.repeated.length > 0)
    return ['invalid_request', 'A parameter occurs more than once'];
  if (asked.response_type !== 'code') return ['unsupported_response_type', 'response_type must be code'];
  if (asked.code_challenge_method !== 'S256' || !S256_CHALLENGE.test(asked.code_challenge))
    return ['invalid_request', 'code_challenge with code_challenge_method S256 is required'];
  if (asked.resource !== '' && !isResource(domain, asked.resource))
    return ['invalid_target', `resource must be ${domain.resource()}`];
  return null;
}
