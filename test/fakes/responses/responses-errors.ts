import { VendorError } from '../model-vendor/vendor-error.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';

interface ErrorDetail {
  readonly code?: string | null;
  readonly type?: string;
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as OpenAI answers it: `{error: {message, type, param, code}}`. */
export function apiError(status: number, message: string, detail: ErrorDetail = {}): VendorError {
  const { code = null, type = 'invalid_request_error', param = null, headers } = detail;
  return new VendorError(status, { error: { message, type, param, code } }, headers);
}

/** OpenAI hides the middle of the key. This fake hides nothing. */
export function badKey(key: string): VendorError {
  const message = `Incorrect API key provided: ${key}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return apiError(401, message, { code: 'invalid_api_key' });
}

export function unknownUrl(method: string, path: string): VendorError {
  return apiError(404, `Invalid URL (${method} ${path})`, { code: 'unknown_url' });
}

export function unknownModel(model: string): VendorError {
  const message = `The model '${model}' does not exist or you do not have access to it.`;
  return apiError(404, message, { code: 'model_not_found', param: 'model' });
}

export function unknownConversation(id: string): VendorError {
  return apiError(404, `Conversation with id '${id}' not found.`);
}

export function unknownResponse(id: string): VendorError {
  const message = `Previous response with id '${id}' not found.`;
  return apiError(400, message, { code: 'previous_response_not_found', param: 'previous_response_id' });
}

export function lockedConversation(id: string): VendorError {
  const message = `Another process is currently operating on this conversation: ${id}. Please retry in a few seconds.`;
  return apiError(400, message, { code: 'conversation_locked' });
}

export function tooLong(): VendorError {
  const message =
    'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return apiError(400, message, { code: 'context_length_exceeded', param: 'input' });
}

export function refusalOf(why: Refusal, retryAfterS: number | null): VendorError {
  const headers: Record<string, string> = retryAfterS === null ? {} : { 'retry-after': `${retryAfterS}` };
  switch (why) {
    case 'bad_key':
      return badKey('wrong-key');
    case 'no_access':
      return apiError(403, 'Country, region, or territory not supported', {
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
      });
    case 'quota':
      return apiError(429, 'You exceeded your current quota, please check your plan and billing details.', {
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      });
    case 'rate_limited':
      return apiError(429, 'Rate limit reached for requests. Please try again later.', {
        type: 'requests',
        code: 'rate_limit_exceeded',
        headers,
      });
    case 'overloaded':
      return apiError(503, 'Our servers are currently overloaded. Please try again later.', {
        type: 'service_unavailable_error',
        code: 'server_is_overloaded',
        headers,
      });
    case 'server_error':
      return apiError(500, 'The server had an error while processing your request. Sorry about that!', {
        type: 'server_error',
      });
  }
}
