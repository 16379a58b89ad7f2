import { hashToken, newId, newToken } from '../base/ids.ts';
import { type OauthClient, pruneUnusedClients, putClient } from '../store/keys/oauth-clients.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import { isRedirectUri } from './redirect-uris.ts';
import { registrationTurn } from './registration-turns.ts';

/** Limit of clients without an authorization. The oldest is dropped when a new one registers. */
export const MAX_UNUSED_CLIENTS = 1_000;
const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 80;
const NAMELESS = 'MCP client';
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** Client metadata as received (RFC 7591, section 2). */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/** A newly registered client. Its secret is only known now. */
export interface RegisteredClient {
  readonly client: OauthClient;
  /** Null: the client has no secret. */
  readonly secret: string | null;
}

/** A registration error, as defined by RFC 7591, section 3.2.2. */
export class RegistrationRefused extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(code: RegistrationRefused['code'], description: string) {
    super(description);
    this.code = code;
  }
}

/** Registers a client. Throws RegistrationRefused, or TooManyAttempts when the IP address has registered too often,
 * or too many clients register. */
export async function registerClient(
  domain: AuthorizationDomain,
  metadata: ClientMetadata,
  ip: string,
): Promise<RegisteredClient> {
  const { store, clock, limits } = domain;
  limits.attempt(ip, null);
  const authMethod = authMethodOf(metadata);
  const secret = authMethod === 'none' ? null : `mcs_${newToken()}`;
  const client: OauthClient = {
    clientId: newId('cli'),
    ...describedClient(metadata),
    authMethod,
    secretHash: secret && hashToken(secret),
    registeredAt: clock.nowIso(),
    fetchedAt: null,
  };
  await registrationTurn(domain, ip);
  await store.db.transaction().execute(async (trx) => {
    await putClient(trx, client);
    await pruneUnusedClients(trx, MAX_UNUSED_CLIENTS);
  });
  return { client, secret };
}

/** Returns the client's name and redirect URIs. Throws RegistrationRefused. */
export function describedClient(metadata: ClientMetadata): Pick<OauthClient, 'clientName' | 'redirectUris'> {
  return { clientName: nameOf(metadata.client_name), redirectUris: redirectUrisOf(metadata.redirect_uris) };
}

function redirectUrisOf(given: unknown): string[] {
  const uris = Array.isArray(given) ? given : [];
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    throw new RegistrationRefused(
      'invalid_redirect_uri',
      `redirect_uris must contain 1 to ${MAX_REDIRECT_URIS} URIs`,
    );
  if (!uris.every((uri) => typeof uri === 'string' && isRedirectUri(uri)))
    throw new RegistrationRefused(
      'invalid_redirect_uri',
      'redirect_uris must be https, http to 127.0.0.1, [::1] or localhost, or a private-use scheme such as app://, without a fragment',
    );
  return uris;
}

function authMethodOf({ token_endpoint_auth_method: given = 'client_secret_basic' }: ClientMetadata) {
  const method = AUTH_METHODS.find((known) => known === given);
  if (method === undefined)
    throw new RegistrationRefused(
      'invalid_client_metadata',
      `token_endpoint_auth_method must be one of ${AUTH_METHODS.join(', ')}`,
    );
  return method;
}

/**
 * Returns the name in a form that is safe to show beside our own text: a single line, without characters that reverse
 * or hide the text next to it.
 */
function nameOf(given: unknown): string {
  const text = typeof given === 'string' ? given : '';
  const plain = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, MAX_NAME_LENGTH).join('') || NAMELESS;
}
