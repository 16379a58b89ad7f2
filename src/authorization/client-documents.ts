import { bytesWithin } from '../base/bytes-within.ts';
import { GatewayError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { type Clock, isoAfter, TimeLimit } from '../base/time.ts';
import type { WebFiles } from '../files/web-files.ts';
import { findRow } from '../store/database/rows.ts';
import { type OauthClient, pruneUnusedClients, putClient } from '../store/keys/oauth-clients.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import { type ClientMetadata, describedClient, MAX_UNUSED_CLIENTS } from './register-client.ts';
import { registrationTurn } from './registration-turns.ts';

/** How long a document is cached. */
const FRESH_MS = 3_600_000;
const MAX_ID_LENGTH = 1_024;

/**
 * Whether a client id is the URL of a client metadata document (draft-ietf-oauth-client-id-metadata-document, section
 * 3): https, with a path, in normalized form, without fragment or credentials.
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
 * Returns the client that a document describes. A document that was read within the last hour is not read again. Throws
 * `client_unknown`, or TooManyAttempts when the IP address has caused too many reads.
 */
export async function documentClient(
  domain: AuthorizationDomain,
  clientId: string,
  ip: string,
): Promise<OauthClient> {
  const { store, clock, limits } = domain;
  const known = await findRow(store.db, 'oauthClients', { clientId });
  const nowIso = clock.nowIso();
  if (known?.fetchedAt && known.fetchedAt > isoAfter(nowIso, -FRESH_MS)) return known;
  limits.attempt(ip, null);
  await registrationTurn(domain, ip);
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

/**
 * Reads and validates a document. Throws `client_unknown` for every fault, without the reason, which would let callers
 * map a network.
 */
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
    // Reported below, like a document with another client id.
  }
  throw new GatewayError('client_unknown');
}

const DEADLINE_MS = 5_000;
const MAX_BYTES = 32_768;

/**
 * Reads the metadata document that a client gave as its id, from public hosts only and without following redirects.
 * Throws `url_failed` when it takes more than 5 s or exceeds 32 KiB.
 */
export async function readSmallDocument(web: WebFiles, clock: Clock, url: string): Promise<string> {
  const limit = new TimeLimit(clock, DEADLINE_MS, { reason: new GatewayError('url_failed') });
  try {
    const { bytes } = await web.open(url, limit.signal, 0);
    const document = await bytesWithin(bytes, MAX_BYTES, () => new GatewayError('url_failed'));
    return document.toString('utf8');
  } finally {
    limit.close();
  }
}
