import {
  type ErrorCode,
  GatewayError,
  RetryLater,
  type StatusOf,
  SuggestedRemedy,
} from '../../../base/errors.ts';
import type { ErrorBody, ValidationErrorBody } from '../../schema/error-body.ts';
import { ValidationError } from '../request/validation.ts';
import { type JsonReply, type ReplyHeaders, reply } from './reply.ts';

/** An error's body. No other function writes one. Errors that are not meant for clients become `internal_error`. */
export function errorBody(error: ValidationError): ValidationErrorBody;
export function errorBody(error: unknown): ErrorBody;
export function errorBody(error: unknown): ErrorBody | ValidationErrorBody {
  if (error instanceof ValidationError) return { detail: [...error.faults], code: 'validation_failed' };
  const { message, code } = error instanceof GatewayError ? error : new GatewayError('internal_error');
  const remedy = error instanceof SuggestedRemedy ? { suggestion: error.suggestion } : {};
  return { detail: message, code, ...remedy };
}

/** Answers with an error. `detail` replaces the code's own text. */
export function errorReply<Code extends ErrorCode>(
  code: Code,
  headers?: ReplyHeaders,
  detail?: string,
): JsonReply<StatusOf<Code>, ErrorBody> {
  const error = new GatewayError(code, detail);
  return reply(error.status as StatusOf<Code>, errorBody(error), headers);
}

/**
 * Returns the answer for a thrown error. Errors not meant for clients become 500. `challenge` is the `WWW-Authenticate`
 * header of a 401.
 */
export function failureReply(error: unknown, challenge = 'Bearer'): JsonReply {
  if (error instanceof ValidationError) return reply(422, errorBody(error));
  if (!(error instanceof GatewayError)) return errorReply('internal_error');
  return reply(error.status, errorBody(error), headersOf(error, challenge));
}

function headersOf(error: GatewayError, challenge: string): ReplyHeaders | undefined {
  if (error instanceof RetryLater) return { 'Retry-After': String(error.retryAfterS) };
  return error.status === 401 ? { 'WWW-Authenticate': challenge } : undefined;
}
