import type { ZodError } from 'zod';

interface AudioErrorOptions {
  readonly code?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as OpenAI answers it: `{error: {message, type, param, code}}`. */
export class AudioError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #code: string | null;
  readonly #type: string;

  constructor(status: number, message: string, { code, type, headers }: AudioErrorOptions = {}) {
    super(message);
    this.name = 'AudioError';
    this.status = status;
    this.headers = headers ?? {};
    this.#code = code ?? null;
    this.#type = type ?? 'invalid_request_error';
  }

  get body(): object {
    return { error: { message: this.message, type: this.#type, param: null, code: this.#code } };
  }
}

/** Repeats the key, as OpenAI does except for its middle. This fake hides nothing. */
export function badKey(authorization = ''): AudioError {
  const key = authorization.replace('Bearer ', '');
  const message = `Incorrect API key provided: ${key}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return new AudioError(401, message, { code: 'invalid_api_key' });
}

export function badRequest(error: ZodError | undefined): AudioError {
  return new AudioError(
    400,
    error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') ?? '',
  );
}

export function modelGone(model: string): AudioError {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return new AudioError(404, message, { code: 'model_not_found' });
}

export function rateLimited(retryAfterS?: number): AudioError {
  const message = 'Rate limit reached for requests. Please try again later.';
  const headers = retryAfterS === undefined ? {} : { 'retry-after': `${retryAfterS}` };
  return new AudioError(429, message, { code: 'rate_limit_exceeded', type: 'requests', headers });
}

export function outOfFunds(): AudioError {
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  return new AudioError(429, message, { code: 'insufficient_quota', type: 'insufficient_quota' });
}

export function serverError(): AudioError {
  const message = 'The server had an error while processing your request. Sorry about that!';
  return new AudioError(500, message, { type: 'server_error' });
}
