import { GatewayError } from '../../../base/errors.ts';
import { sessionTokenOf } from '../../auth/cookies.ts';
import type { CredentialKind, Principal } from '../../auth/principal.ts';
import type { RequestHead } from '../request/request-head.ts';
import type { Access } from './route.ts';

/** Which credentials are admitted to which routes (specification, "Authentication", rules 1, 5 and 6). */
export const ADMITTED: Readonly<Record<Exclude<Access, 'public'>, readonly CredentialKind[]>> = {
  /** Calls, messages, inbox, files. */
  runtime: ['agent', 'oauth', 'session'],
  /** The same for MCP clients. */
  mcp: ['agent', 'oauth', 'model'],
  /** Agents, keys, platforms and their secrets. */
  config: ['settings', 'session'],
  /** Account information open to every credential. */
  account: ['agent', 'settings', 'oauth', 'session'],
  /** Actions reserved for the account's owner. */
  session: ['session'],
};

/** How errors call a credential. */
const NAMES: Readonly<Record<CredentialKind, string>> = {
  agent: 'an agent key',
  settings: 'a settings key',
  oauth: 'an MCP access token',
  session: 'a browser session',
  model: "a model's internal key",
};

/** What errors say that the routes take. An internal key is the gateway's own, so nobody is told to use one. */
const TAKEN = Object.fromEntries(
  Object.entries(ADMITTED).map(([access, kinds]) => [
    access,
    listed(kinds.filter((kind) => kind !== 'model')),
  ]),
) as Readonly<Record<keyof typeof ADMITTED, string>>;

function listed(kinds: readonly CredentialKind[]): string {
  const names = kinds.map((kind) => NAMES[kind]);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ');
}

/** The origin of the gateway's public URL. Null: use the host that the request names. */
export type OwnOrigin = () => string | null;

/**
 * The credential of a request: the key in `X-API-Key` or `Authorization: Bearer`, else the session token of its cookie;
 * null without either. Browsers attach the cookie to requests of any page, so for requests that may change something
 * (`isUnsafe`) it counts only when sent by the gateway's own pages. Throws `cross_site` otherwise.
 */
export function credentialOf(
  request: RequestHead,
  isUnsafe: boolean,
  ownOrigin: OwnOrigin | undefined,
): string | null {
  const key = keyIn((name) => request.getHeader(name));
  if (key !== null) return key;
  const cookies = request.getHeader('cookie');
  const token = cookies === '' ? null : sessionTokenOf(cookies);
  if (token !== null && isUnsafe) assertOwnSite(request, ownOrigin);
  return token;
}

/** The key in `X-API-Key` or `Authorization: Bearer`; null without either. */
export function keyIn(header: (name: string) => string): string | null {
  const apiKey = header('x-api-key');
  if (apiKey !== '') return apiKey;
  const authorization = header('authorization');
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return authorization.slice(7).trim() || null;
}

/** Methods that change nothing (RFC 9110, section 9.2.1), in lower case. */
export function isSafeMethod(method: string): boolean {
  return method === 'get' || method === 'head' || method === 'options';
}

/**
 * Throws `cross_site` for a request that a browser sends for another site's page. Browsers state the origin in
 * `Sec-Fetch-Site` or, older ones and those on plain http, in `Origin`. Pages cannot remove these headers, and other
 * programs send neither.
 */
export function assertOwnSite(request: RequestHead, ownOrigin: OwnOrigin | undefined): void {
  const site = request.getHeader('sec-fetch-site');
  const origin = request.getHeader('origin');
  const isOwn =
    site === '' ? isOwnOrigin(origin, request, ownOrigin) : site === 'same-origin' || site === 'none';
  if (!isOwn) throw new GatewayError('cross_site');
}

function isOwnOrigin(origin: string, request: RequestHead, ownOrigin: OwnOrigin | undefined): boolean {
  if (origin === '' || origin === ownOrigin?.()) return true;
  const host = request.getHeader('host');
  return origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * A challenge for a refused credential, with the reason (RFC 6750, section 3). Requests without a credential get none.
 */
export function invalidToken(challenge = 'Bearer'): string {
  const separator = challenge === 'Bearer' ? ' ' : ', ';
  return `${challenge}${separator}error="invalid_token", error_description="The token is unknown, expired or revoked"`;
}

/**
 * Admits a principal to a non-public route. Throws 401 without a principal and 403 for the wrong kind of credential.
 */
export function admit(access: Exclude<Access, 'public'>, principal: Principal | null): Principal {
  if (principal === null) throw new GatewayError('unauthorized');
  if (!ADMITTED[access].includes(principal.kind)) {
    const detail = `This endpoint takes ${TAKEN[access]}; this is ${NAMES[principal.kind]}`;
    throw new GatewayError('forbidden', detail);
  }
  return principal;
}
