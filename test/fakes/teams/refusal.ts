import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { NoAnswer } from '../faults.ts';
import { answerJson } from '../json-answer.ts';

/** What Teams answers in place of carrying a request out. */
export type Refusal =
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string; readonly message: string }
  /** Too many requests. `retryAfterS` null: without the header, as Teams often does. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number | null };

export type Fault = Refusal | NoAnswer;

/** Requests that can fail. `send`: of a message, not of a typing indicator. */
export type Operation =
  | 'send'
  | 'typing'
  | 'create'
  | 'token'
  | 'keys'
  | 'graph'
  | 'file'
  | 'upload'
  | 'directory';

export function answerRefusal(refusal: Refusal, response: ServerResponse): void {
  if (refusal.kind === 'refuse') {
    const { status, code, message } = refusal;
    return answer(response, status, { error: { code, message } });
  }
  const error = { code: 'TooManyRequests', message: 'API calls quota exceeded' };
  const { retryAfterS } = refusal;
  answer(response, 429, { error }, retryAfterS === null ? {} : { 'Retry-After': retryAfterS });
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  answerJson(response, status, body, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
}
