import type { ServerResponse } from 'node:http';
import type { NoAnswer } from '../faults.ts';
import { answerJson } from '../json-answer.ts';

/** What Discord answers in place of carrying a request out. */
export type Refusal =
  | { readonly kind: 'refuse'; readonly status: number; readonly code: number; readonly message: string }
  /** Too many requests; `scope`: `user` unless given. */
  | {
      readonly kind: 'throttle';
      readonly retryAfterS: number;
      readonly scope?: 'user' | 'global' | 'shared';
    };

export type Fault = Refusal | NoAnswer;

export function answerRefusal(refusal: Refusal, response: ServerResponse): void {
  if (refusal.kind === 'throttle')
    return answerThrottled(response, refusal.retryAfterS, refusal.scope ?? 'user');
  const { status, message, code } = refusal;
  answerJson(response, status, { message, code });
}

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export function answerThrottled(
  response: ServerResponse,
  retryAfterS: number,
  scope: 'user' | 'global' | 'shared',
): void {
  response.setHeader('Retry-After', Math.ceil(retryAfterS));
  response.setHeader('X-RateLimit-Scope', scope);
  response.setHeader('X-RateLimit-Reset-After', retryAfterS.toFixed(3));
  if (scope === 'global') response.setHeader('X-RateLimit-Global', 'true');
  const message = scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.';
  answerJson(response, 429, { message, retry_after: retryAfterS, global: scope === 'global' });
}
