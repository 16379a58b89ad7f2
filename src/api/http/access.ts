import type { HttpRequest } from 'uWebSockets.js';
import { GatewayError } from '../../base/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Access } from './route.ts';

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
  if (access === 'runtime' && principal.kind !== 'agent') throw new GatewayError('forbidden');
  if (access === 'config' && principal.kind !== 'settings') throw new GatewayError('forbidden');
  return principal;
}
