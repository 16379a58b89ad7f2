import { GatewayError, TooManyAttempts } from '../../../base/errors.ts';
import { ValidationError } from '../request/validation.ts';
import { type JsonReply, type ReplyHeaders, reply } from './reply.ts';

/**
 * Returns the answer for a thrown error. Errors not meant for clients become 500. `challenge` is the `WWW-Authenticate`
 * header of a 401.
 */
export function failureReply(error: unknown, challenge = 'Bearer'): JsonReply {
  if (error instanceof ValidationError) return reply(422, { detail: error.faults });
  if (!(error instanceof GatewayError)) return reply(500, { detail: 'Internal error' });
  return reply(error.status, { detail: error.message }, headersOf(error, challenge));
}

function headersOf(error: GatewayError, challenge: string): ReplyHeaders | undefined {
  if (error instanceof TooManyAttempts) return { 'Retry-After': String(error.retryAfterS) };
  return error.status === 401 ? { 'WWW-Authenticate': challenge } : undefined;
}
