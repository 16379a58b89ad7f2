import { VendorError } from '../model-vendor/vendor-error.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';

/** An error of the Interactions API: a text as its code. https://ai.google.dev/gemini-api/docs/api-errors */
export function interactionError(status: number, code: string, message: string): VendorError {
  return new VendorError(status, { error: { message, code } });
}

/** An error of the older part of the API, which also answers for keys and limits of both. */
export function googleError(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): VendorError {
  return new VendorError(code, { error: { code, message, status, details } });
}

/** What the API says of an interaction that it no longer has. */
export function unknownTurn(id: string): VendorError {
  return interactionError(400, 'invalid_request', `Invalid turn token: ${id}`);
}

export function unknownModel(model: string): VendorError {
  return interactionError(404, 'model_not_found', `Model '${model}' is not found.`);
}

/** A wrong key is a 400. */
export function wrongKey(): VendorError {
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
  return googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [reason]);
}

export function refusalOf(why: Refusal, retryAfterS: number | null): VendorError {
  switch (why) {
    case 'bad_key':
      return wrongKey();
    case 'no_access':
      return googleError(403, 'PERMISSION_DENIED', 'Your API key does not have the required permissions.');
    case 'quota':
      return exhausted('GenerateRequestsPerDayPerProjectPerModel-FreeTier', retryAfterS);
    case 'rate_limited':
      return exhausted('GenerateRequestsPerMinutePerProjectPerModel', retryAfterS);
    case 'overloaded':
      return interactionError(503, 'service_unavailable', 'The model is overloaded. Please try again later.');
    case 'server_error':
      return googleError(500, 'INTERNAL', 'An internal error has occurred.');
  }
}

/** No `Retry-After`: the time to wait is among the details. */
function exhausted(quotaId: string, retryAfterS: number | null): VendorError {
  const words = 'You exceeded your current quota, please check your plan and billing details.';
  return googleError(429, 'RESOURCE_EXHAUSTED', words, [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId, quotaValue: '250' }] },
    ...(retryAfterS === null
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterS}s` }]),
  ]);
}
