/** An error of Cartesia since version 2026-03-01. */
export interface CartesiaError {
  readonly status_code: number;
  readonly error_code: string | null;
  readonly title: string;
  readonly message: string;
}

export const CARTESIA_ERRORS = {
  badKey: error(401, null, 'Unauthorized', 'Invalid API key'),
  noVersion: error(400, null, 'Bad request', 'Cartesia-Version is required, as YYYY-MM-DD'),
  outOfFunds: error(402, 'quota_exceeded', 'Quota exceeded', 'Your plan has no credits left'),
  tooMany: error(429, 'concurrency_limited', 'Too many requests', 'You have too many concurrent requests'),
  modelGone: error(400, 'model_sunsetted', 'Model sunsetted', 'sonic-2 was sunset on June 1, 2026'),
  emptyText: error(400, null, 'Invalid transcript', 'Your transcript has no text to speak'),
  contextGone: error(400, null, 'Invalid context', 'This context has expired'),
  down: error(500, null, 'Internal server error', 'Please try again'),
} as const satisfies Record<string, CartesiaError>;

function error(
  status_code: number,
  error_code: string | null,
  title: string,
  message: string,
): CartesiaError {
  return { status_code, error_code, title, message };
}

export function badRequest(message: string): CartesiaError {
  return error(400, null, 'Bad request', message);
}

/** The message on a socket. It ends its context, so it says that it is done. */
export function errorMessage(cause: CartesiaError, contextId: string | null): object {
  const context = contextId === null ? {} : { context_id: contextId };
  return { type: 'error', done: true, ...cause, request_id: 'req_1', ...context };
}
