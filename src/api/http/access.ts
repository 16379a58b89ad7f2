import type { HttpRequest } from 'uWebSockets.js';
import { GatewayError } from '../../base/errors.ts';
import type { CredentialKind, Principal } from '../auth/principal.ts';
import type { Access } from './route.ts';

/** The one table of which credentials open which routes (specification, "Authentication", rules 1, 5 and 6). */
export const ADMITTED: Readonly<Record<Exclude<Access, 'public'>, readonly CredentialKind[]>> = {
  /** Calls, messages, inbox, files. */
  runtime: ['session', 'agent'],
  /** Agents, keys, platforms and their secrets. */
  config: ['session', 'settings'],
  /** What every credential may know of its account. */
  account: ['session', 'agent', 'settings'],
  /** What only the person behind the account may do. */
  session: ['session'],
};

/** The key that a request carries in `X-API-Key` or `Authorization: Bearer`; null without one. */
export function credentialOf(request: HttpRequest): string | null {
  const apiKey = request.getHeader('x-api-key');
  if (apiKey !== '') return apiKey;
  const authorization = request.getHeader('authorization');
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return authorization.slice(7).trim() || null;
}

/** Lets a principal through to a route that is not public, or throws 401 or 403. */
export function admit(access: Exclude<Access, 'public'>, principal: Principal | null): Principal {
  if (principal === null) throw new GatewayError('unauthorized');
  if (!ADMITTED[access].includes(principal.kind)) throw new GatewayError('forbidden');
  return principal;
}
