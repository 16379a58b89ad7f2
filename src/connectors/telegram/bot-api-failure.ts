import * as z from 'zod';
import { Backoff } from '../../base/backoff.ts';
import { field, platformJson } from '../../base/platform-json.ts';
import { type FailureKind, unanswered } from '../kit/unanswered.ts';

export class BotApiFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status; 0 without an answer of Telegram's. */
  readonly status: number;
  /** Delay before retrying a `later` failure. */
  readonly afterMs: number;

  /** `reason` is Telegram's own text and never contains the token. */
  constructor(kind: FailureKind, reason: string, status = 0, afterMs = 0) {
    super(reason);
    this.name = 'BotApiFailure';
    this.kind = kind;
    this.status = status;
    this.afterMs = afterMs;
  }

  /** Whether Telegram says that the token is wrong or was revoked (404: it is malformed). */
  get isLoggedOut(): boolean {
    return this.kind === 'refused' && (this.status === 401 || this.status === 404);
  }

  /** Whether another client is polling for this bot, or a webhook is set. */
  get isConflict(): boolean {
    return this.kind === 'refused' && this.status === 409;
  }
}

/** https://core.telegram.org/bots/api#making-requests */
const Answer = z.object({
  ok: field(z.boolean()),
  result: z.unknown().optional(),
  description: field(z.string()),
  parameters: field(z.object({ retry_after: field(z.coerce.number()) })),
});

const DEFAULT_RETRY_S = 1;

/** Returns the result in an answer. Throws a BotApiFailure when the answer has none. */
export function resultIn(status: number, text: string): unknown {
  const { data: answer } = Answer.safeParse(platformJson(text));
  if (answer?.ok) return answer.result;
  const reason = answer?.description ?? `Telegram did not answer as expected (HTTP status ${status})`;
  if (status === 429) {
    const seconds = answer?.parameters?.retry_after ?? 0;
    throw new BotApiFailure('later', reason, status, (seconds > 0 ? seconds : DEFAULT_RETRY_S) * 1_000);
  }
  // A restarting server, or a proxy in front of it, answers 500 to requests it may have carried out.
  const kind = status >= 400 && status < 500 ? 'refused' : 'unclear';
  // What is not Telegram's answer, as of a proxy, says nothing about the token or a file.
  throw new BotApiFailure(kind, reason, answer === undefined ? 0 : status);
}

/** Classifies a rejection of `fetch`. `wasWhole` tells whether the entire request had been handed over. */
export function failureOf(error: unknown, wasWhole: boolean): BotApiFailure {
  if (error instanceof BotApiFailure) return error;
  const { kind, words } = unanswered('Telegram', error, wasWhole);
  return new BotApiFailure(kind, words);
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** For a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

/** Delays between requests of one bot that fail. */
export class Retries extends Backoff {
  constructor() {
    super(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  }

  /** Returns the delay after a failure: at least as long as Telegram asks for. */
  after(failure: BotApiFailure): number {
    return Math.max(failure.afterMs, failure.isLoggedOut ? LOGGED_OUT_MS : this.next());
  }
}
