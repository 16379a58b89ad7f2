import type { ServerResponse } from 'node:http';
import type { NoAnswer } from '../faults.ts';
import { answerJson } from '../json-answer.ts';

/** What Telegram answers in place of carrying a call out. */
export type Refusal =
  | { readonly kind: 'refuse'; readonly status: number; readonly description: string }
  /** Too many requests. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number };

export type Fault = Refusal | NoAnswer;

export function answerRefusal(refusal: Refusal, response: ServerResponse): void {
  if (refusal.kind === 'refuse') return refuse(response, refusal.status, refusal.description);
  const { retryAfterS } = refusal;
  refuse(response, 429, `Too Many Requests: retry after ${retryAfterS}`, retryAfterS);
}

/** `retryAfterS`: 0 unless there were too many requests. */
export function refuse(
  response: ServerResponse,
  status: number,
  description: string,
  retryAfterS = 0,
  migrateTo?: number,
): void {
  const more = {
    ...(retryAfterS > 0 && { retry_after: retryAfterS }),
    ...(migrateTo !== undefined && { migrate_to_chat_id: migrateTo }),
  };
  const parameters = Object.keys(more).length > 0 ? { parameters: more } : {};
  answerJson(response, status, { ok: false, error_code: status, description, ...parameters });
}
