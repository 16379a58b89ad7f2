import { newId } from '../base/ids.ts';
import { hashToken, newToken } from '../base/tokens.ts';
import { type OauthClient, pruneUnusedClients, putClient } from '../store/keys/oauth-clients.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import { isRedirectUri } from './redirect-uris.ts';

/** Clients that nobody has authorized yet; who came longest ago makes room for the next. */
export const MAX_UNUSED_CLIENTS = 1_000;
const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 80;
const NAMELESS = 'MCP client';
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** What a client says of itself (RFC 7591, section 2), as it came. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/** A client as it begins: the only time that its secret is known. */
export interface RegisteredClient {
  readonly client: OauthClient;
  /** Null: it has none. */
  readonly secret: string | null;
}

/** Says no to a registration, in the words of RFC 7591, section 3.2.2. */
export class RegistrationRefused extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(code: RegistrationRefused['code'], description: string) {
    super(description);
    this.code = code;
  }
}

/** Makes a client known. Throws RegistrationRefused, or TooManyAttempts for an address that has come too often. */
export async function registerClient(
  { store, clock, limits }: AuthorizationDomain,
  metadata: ClientMetadata,
  ip: string,
): Promise<RegisteredClient> {
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
  await store.db.transaction().execute(async (trx) => {
    await putClient(trx, client);
    await pruneUnusedClients(trx, MAX_UNUSED_CLIENTS);
  });
  return { client, secret };
}

/** Name and redirect addresses. Throws RegistrationRefused. */
export function describedClient(metadata: ClientMetadata): Pick<OauthClient, 'clientName' | 'redirectUris'> {
  return { clientName: nameOf(metadata.client_name), redirectUris: redirectUrisOf(metadata.redirect_uris) };
}

function redirectUrisOf(given: unknown): string[] {
  const uris = Array.isArray(given) ? given : [];
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    throw new RegistrationRefused(
      'invalid_redirect_uri',
      `redirect_uris: 1 to ${MAX_REDIRECT_URIS} addresses`,
    );
  if (!uris.every((uri) => typeof uri === 'string' && isRedirectUri(uri)))
    throw new RegistrationRefused(
      'invalid_redirect_uri',
      'redirect_uris: https, http to 127.0.0.1, [::1] or localhost, or a scheme of your application like app://; no fragment',
    );
  return uris;
}

function authMethodOf({ token_endpoint_auth_method: given = 'client_secret_basic' }: ClientMetadata) {
  const method = AUTH_METHODS.find((known) => known === given);
  if (method === undefined)
    throw new RegistrationRefused(
      'invalid_client_metadata',
      `token_endpoint_auth_method: ${AUTH_METHODS.join(', ')}`,
    );
  return method;
}

/** Shown to people, beside texts of ours: one line, nothing that turns or hides what stands next to it. */
function nameOf(given: unknown): string {
  const text = typeof given === 'string' ? given : '';
  const plain = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, MAX_NAME_LENGTH).join('') || NAMELESS;
}
