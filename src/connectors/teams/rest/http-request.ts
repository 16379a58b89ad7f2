import { readAnswer } from '../../../base/answer-body.ts';
import type { Clock } from '../../../base/time.ts';
import { TimeLimit } from '../../../base/time-limit.ts';
import { failureOf, TeamsFailure } from './teams-failure.ts';

const ANSWER_LIMIT_BYTES = 1_048_576;
export const USER_AGENT = 'voice-chat-gateway';

export interface CallOptions {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Uint8Array;
}

/** Makes a request and reads its whole answer. Rejections are TeamsFailures. */
export async function httpRequest(
  clock: Clock,
  { url, method, headers, body = '' }: HttpRequest,
  { deadlineMs, signal }: CallOptions,
): Promise<HttpAnswer> {
  if (signal.aborted) throw new TeamsFailure('unreachable', 'The deadline passed before Teams was asked');
  const limit = new TimeLimit(clock, deadlineMs, { outer: signal });
  try {
    const answer = await fetch(url, {
      method,
      headers: { 'user-agent': USER_AGENT, ...headers },
      ...(method === 'GET' ? {} : { body }),
      redirect: 'error',
      signal: limit.signal,
    });
    const bytes = await readAnswer(answer, ANSWER_LIMIT_BYTES);
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: bytes };
  } catch (error) {
    throw failureOf(error);
  } finally {
    limit.close();
  }
}
