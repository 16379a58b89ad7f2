import { type JsonAnswer, readJson } from './answer-body.ts';
import { GatewayError } from './errors.ts';

/** How the gateway proves at an authorization server who it is. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the token endpoint takes id and secret: HTTP Basic, or as fields of the form. */
  readonly authentication: 'basic' | 'form';
}

const MAX_ANSWER_BYTES = 65_536;

type Form = Readonly<Record<string, string>>;

/**
 * Sends a form to an endpoint of an authorization server; `client` null: without proving who the gateway is. Redirects
 * are not followed, because they would take the secrets along. Settles before `signal` aborts.
 */
export async function postAsClient(
  client: ClientCredentials | null,
  endpoint: string,
  form: Form,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const isBasic = client?.authentication === 'basic';
  const answer = await fetch(endpoint, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: 'application/json', ...(isBasic ? { Authorization: basic(client) } : {}) },
    body: new URLSearchParams({ ...form, ...(client === null || isBasic ? {} : credentials(client)) }),
    signal,
  });
  return await readJson(answer, MAX_ANSWER_BYTES);
}

/**
 * Reads something from a platform with the access token of a connection. Redirects are not followed, because they would
 * take the token along. Rejects with GatewayError `platform_failed` when the platform cannot be reached.
 */
export async function getWithToken(
  url: string,
  accessToken: string,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const headers = { authorization: `Bearer ${accessToken}` };
  try {
    return await readJson(await fetch(url, { headers, redirect: 'error', signal }), MAX_ANSWER_BYTES);
  } catch (error) {
    throw new GatewayError('platform_failed', undefined, { cause: error });
  }
}

/** Asks a platform to revoke a token (RFC 7009). Rejects with GatewayError `platform_failed` when it refuses. */
export async function revokeToken(
  client: ClientCredentials | null,
  endpoint: string,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const { isOk, status } = await postAsClient(client, endpoint, { token }, signal);
  if (!isOk) throw new GatewayError('platform_failed', `The platform answered ${status}`);
}

function credentials({ clientId, clientSecret }: ClientCredentials): Form {
  return { client_id: clientId, client_secret: clientSecret };
}

/** HTTP Basic as RFC 6749, section 2.3.1, has it: both parts are encoded for forms first. */
function basic({ clientId, clientSecret }: ClientCredentials): string {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
