import type { ServerResponse } from 'node:http';
import { Faults, type NoAnswer } from '../faults.ts';
import { ocsAnswer, send } from './http/nc-answer.ts';

/** What Nextcloud answers in place of carrying a request out. */
export type Refusal =
  /** `error`: Talk's own word. */
  | { readonly kind: 'refuse'; readonly status: number; readonly error?: string; readonly message?: string }
  /** Too many requests. */
  | { readonly kind: 'throttle'; readonly retryAfterS?: number };

export type Fault = Refusal | NoAnswer;
export type NcFaults = Faults<Refusal>;

export function newFaults(): NcFaults {
  return new Faults(answerRefusal);
}

export function answerRefusal(refusal: Refusal, response: ServerResponse): void {
  if (refusal.kind === 'throttle') {
    const headers = refusal.retryAfterS === undefined ? {} : { 'Retry-After': refusal.retryAfterS };
    return send(response, ocsAnswer(429, [], { message: 'Reached maximum delay', headers }));
  }
  const { status, error, message = '' } = refusal;
  const code = status === 401 ? 997 : status;
  send(response, ocsAnswer(status, error === undefined ? [] : { error }, { message, code }));
}
