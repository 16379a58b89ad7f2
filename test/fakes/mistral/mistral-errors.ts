import type * as z from 'zod';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';

interface ErrorDetail {
  readonly type?: string;
  readonly code?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as Mistral answers it: `{object: "error", message, type, param, code}`. */
export function apiError(status: number, message: string, detail: ErrorDetail = {}): VendorError {
  const { type = 'invalid_request_error', code = null, headers } = detail;
  return new VendorError(status, { object: 'error', message, type, param: null, code }, headers);
}

export function notFound(what: string): VendorError {
  return apiError(404, `${what} not found`, { type: 'not_found' });
}

/** The gateway in front of the API words this one. It repeats the key, which Mistral does not: clients must not rely on it. */
export function badKey(key: string): VendorError {
  return new VendorError(401, { detail: `Unauthorized: ${key}` });
}

export function unknownModel(model: string): VendorError {
  return apiError(400, `Invalid model: ${model}`, { type: 'invalid_model', code: '1500' });
}

/** What is wrong, field by field. */
export function invalid(error: z.ZodError): VendorError {
  const detail = error.issues.map(({ path, message }) => ({
    loc: ['body', ...path],
    msg: message,
    type: 'value_error',
  }));
  return new VendorError(422, {
    object: 'error',
    message: { detail },
    type: 'invalid_request_error',
    code: null,
  });
}

export function refusalOf(why: Refusal, retryAfterS: number | null): VendorError {
  switch (why) {
    case 'bad_key':
      return badKey('');
    case 'no_access':
      return apiError(403, 'Your key is not allowed to do this', { type: 'forbidden' });
    case 'quota':
      return apiError(402, 'Your credit is used up', { type: 'payment_required' });
    case 'rate_limited': {
      const headers = retryAfterS === null ? {} : { 'retry-after': `${retryAfterS}` };
      return apiError(429, 'Rate limit exceeded', { type: 'rate_limited', code: '1300', headers });
    }
    case 'overloaded':
      return apiError(503, 'Service unavailable', { type: 'service_unavailable' });
    case 'server_error':
      return apiError(500, 'Internal server error', { type: 'internal_error' });
  }
}
