import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field, platformJson } from '../../base/platform-json.ts';

/** Kinds of failed Bot API requests. */
export type FailureKind =
  /** Telegram rejected the request. */
  | 'refused'
  /** Rate limited. Nothing was done. */
  | 'later'
  /** The request did not reach Telegram. */
  | 'unreachable'
  /** The request may have been carried out: there was no answer, or a server error. */
  | 'unclear';

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

/** Error codes of requests that never left, or that failed before the server read their first byte. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** Classifies a rejection of `fetch`. `wasWhole` tells whether the entire request had been handed over. */
export function failureOf(error: unknown, wasWhole: boolean): BotApiFailure {
  if (error instanceof BotApiFailure) return error;
  const source = sourceOf(error);
  if (source) return new BotApiFailure('refused', source.message);
  const code = codeOf(error);
  if (NEVER_ARRIVED.test(code)) {
    return new BotApiFailure('unreachable', `Telegram could not be reached: ${code}`);
  }
  const reason = `Telegram did not answer${code === '' ? '' : ` (${code})`}`;
  return new BotApiFailure(wasWhole ? 'unclear' : 'unreachable', reason);
}

/**
 * Finds the error of a file to upload that could not be read. Files are the only part of a request read from elsewhere.
 */
function sourceOf(error: unknown): GatewayError | null {
  const { cause } = error as { cause?: unknown };
  return [error, cause].find((each) => each instanceof GatewayError) ?? null;
}

/** Returns the system error code. `fetch` wraps the system's error, which may be one error per address of the host. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Retry interval for a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

/** Exponential backoff with up to 20% random reduction, so that many bots do not reconnect at once. */
export class Backoff {
  #failures = 0;

  next(): number {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return fullMs * (1 - Math.random() / 5);
  }

  /** Returns the delay after a failure: at least as long as Telegram asks for. */
  after(failure: BotApiFailure): number {
    return Math.max(failure.afterMs, failure.isLoggedOut ? LOGGED_OUT_MS : this.next());
  }

  reset(): void {
    this.#failures = 0;
  }
}
