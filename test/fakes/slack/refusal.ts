import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { NoAnswer } from '../faults.ts';
import { answerJson } from '../json-answer.ts';

/** What Slack answers in place of carrying a call out. */
export type Refusal =
  | { readonly kind: 'refuse'; readonly error: string }
  /** Too many requests. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number };

export type Fault = Refusal | NoAnswer;

/** Slack refuses with status 200, unless there are too many requests. */
export function answerRefusal(refusal: Refusal, response: ServerResponse): void {
  if (refusal.kind === 'refuse') return answer(response, 200, { ok: false, error: refusal.error });
  answer(response, 429, { ok: false, error: 'ratelimited' }, { 'Retry-After': refusal.retryAfterS });
}

export function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: OutgoingHttpHeaders = {},
): void {
  answerJson(response, status, body, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
}
