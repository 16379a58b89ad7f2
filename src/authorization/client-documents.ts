import { GatewayError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { isoAfter } from '../base/time.ts';
import { findClient, type OauthClient, pruneUnusedClients, putClient } from '../store/keys/oauth-clients.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import { type ClientMetadata, describedClient, MAX_UNUSED_CLIENTS } from './register-client.ts';

/** A document is read again after so long. */
const FRESH_MS = 3_600_000;
const MAX_ID_LENGTH = 1_024;

/**
 * Whether a client's id is the address of a document that describes it (draft-ietf-oauth-client-id-metadata-document,
 * section 3): https, a path, written as URLs are, no fragment and nobody's name.
 */
export function isDocumentUrl(clientId: string): boolean {
  const url = clientId.length <= MAX_ID_LENGTH && URL.canParse(clientId) ? new URL(clientId) : null;
  return (
    url !== null &&
    url.href === clientId &&
    url.protocol === 'https:' &&
    url.pathname !== '/' &&
    !clientId.includes('#') &&
    url.username === '' &&
    url.password === ''
  );
}

/**
 * The client that a document describes, as it was read within the last hour or is read now. Throws `client_unknown`, or
 * TooManyAttempts for an address that had too many of them read.
 */
export async function documentClient(
  domain: AuthorizationDomain,
  clientId: string,
  ip: string,
): Promise<OauthClient> {
  const { store, clock, limits } = domain;
  const known = await findClient(store.db, clientId);
  const nowIso = clock.nowIso();
  if (known?.fetchedAt && known.fetchedAt > isoAfter(nowIso, -FRESH_MS)) return known;
  limits.attempt(ip, null);
  const client: OauthClient = {
    clientId,
    ...(await described(domain, clientId)),
    authMethod: 'none',
    secretHash: null,
    registeredAt: known?.registeredAt ?? nowIso,
    fetchedAt: nowIso,
  };
  await store.db.transaction().execute(async (trx) => {
    await putClient(trx, client);
    await pruneUnusedClients(trx, MAX_UNUSED_CLIENTS);
  });
  return client;
}

/** Whatever is wrong with it, the client is not known; why goes to nobody, or it would map a network. */
async function described(
  { readDocument }: AuthorizationDomain,
  clientId: string,
): Promise<ReturnType<typeof describedClient>> {
  try {
    const metadata = parseJson(await readDocument(clientId)) as ClientMetadata;
    const method = metadata.token_endpoint_auth_method ?? 'none';
    if (metadata.client_id === clientId && method === 'none' && metadata.client_secret === undefined)
      return describedClient(metadata);
  } catch {
    // Told below, like a document that describes somebody else.
  }
  throw new GatewayError('client_unknown');
}
