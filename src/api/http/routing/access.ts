import { GatewayError } from '../../../base/errors.ts';
import type { CredentialKind, Principal } from '../../auth/principal.ts';
import { sessionTokenOf } from '../../auth/session-cookie.ts';
import type { RequestHead } from '../request/request-head.ts';
import type { Access } from './route.ts';

/** The one table of which credentials open which routes (specification, "Authentication", rules 1, 5 and 6). */
export const ADMITTED: Readonly<Record<Exclude<Access, 'public'>, readonly CredentialKind[]>> = {
  /** Calls, messages, inbox, files. */
  runtime: ['session', 'agent', 'oauth'],
  /** The same for assistants. */
  mcp: ['agent', 'oauth'],
  /** Agents, keys, platforms and their secrets. */
  config: ['session', 'settings'],
  /** What every credential may know of its account. */
  account: ['session', 'agent', 'settings', 'oauth'],
  /** What only the person behind the account may do. */
  session: ['session'],
};

/** Where browsers may send requests from: the origin of the gateway's public URL; null: only the one they name as host. */
export type OwnOrigin = () => string | null;

/**
 * The key that a request carries in `X-API-Key` or `Authorization: Bearer`, else the session token of its cookie; null
 * without either. Browsers add the cookie to whatever any page makes them send, so one that may change something
 * (`isUnsafe`) counts only in a request of our own pages: throws `cross_site`.
 */
export function credentialOf(
  request: RequestHead,
  isUnsafe: boolean,
  ownOrigin: OwnOrigin | undefined,
): string | null {
  const key = keyOf(request);
  if (key !== null) return key;
  const cookies = request.getHeader('cookie');
  const token = cookies === '' ? null : sessionTokenOf(cookies);
  if (token !== null && isUnsafe) assertOwnSite(request, ownOrigin);
  return token;
}

function keyOf(request: RequestHead): string | null {
  const apiKey = request.getHeader('x-api-key');
  if (apiKey !== '') return apiKey;
  const authorization = request.getHeader('authorization');
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return authorization.slice(7).trim() || null;
}

/** Methods that change nothing (RFC 9110, section 9.2.1), in lower case. */
export function isSafeMethod(method: string): boolean {
  return method === 'get' || method === 'head' || method === 'options';
}

/**
 * Throws `cross_site` for what a browser sends on behalf of another site's page. Browsers say so themselves, in
 * `Sec-Fetch-Site` or, older ones and those on plain http, in `Origin`; pages cannot take these headers away, and
 * programs that are no browsers send neither.
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

/** A challenge that also says why the credential was refused (RFC 6750, section 3); one without a credential does not. */
export function invalidToken(challenge = 'Bearer'): string {
  const separator = challenge === 'Bearer' ? ' ' : ', ';
  return `${challenge}${separator}error="invalid_token", error_description="It is unknown, has expired or was revoked"`;
}

/** Lets a principal through to a route that is not public, or throws 401 or 403. */
export function admit(access: Exclude<Access, 'public'>, principal: Principal | null): Principal {
  if (principal === null) throw new GatewayError('unauthorized');
  if (!ADMITTED[access].includes(principal.kind)) throw new GatewayError('forbidden');
  return principal;
}
