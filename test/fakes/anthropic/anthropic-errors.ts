import type * as z from 'zod';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** An error as Anthropic answers it: `{type: "error", error: {type, message}, request_id}`. */
export function apiError(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): VendorError {
  const error = { type: TYPES[status] ?? 'api_error', message };
  return new VendorError(status, { type: 'error', error, request_id: 'req_fake' }, headers);
}

export function notFound(what: string): VendorError {
  return apiError(404, `${what} not found`);
}

export function badRequest(error: z.ZodError): VendorError {
  return apiError(400, error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

/** Repeats the key, which Anthropic does not: clients must not rely on it. */
export function badKey(key: string): VendorError {
  return apiError(401, `invalid x-api-key ${key}`);
}

export function refusalOf(why: Refusal, retryAfterS: number | null): VendorError {
  switch (why) {
    case 'bad_key':
      return badKey('');
    case 'no_access':
      return apiError(403, 'Your API key does not have permission to use the specified resource.');
    case 'quota':
      return apiError(402, 'There is an issue with your billing or payment information.');
    case 'rate_limited':
      return apiError(
        429,
        'This request would exceed your rate limit.',
        retryAfterS === null ? {} : { 'retry-after': `${retryAfterS}` },
      );
    case 'overloaded':
      return apiError(529, 'Overloaded');
    case 'server_error':
      return apiError(500, 'Internal server error');
  }
}
