import { GatewayError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';

/** What became of a request to the Bot API that did not succeed. */
export type FailureKind =
  /** Telegram said no. */
  | 'refused'
  /** Telegram said: not so fast. Nothing was done. */
  | 'later'
  /** The request did not reach Telegram. */
  | 'unreachable'
  /** It may have been done: no answer came, or one that tells of a fault over there. */
  | 'unclear';

export class BotApiFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** When to ask again, of a `later`. */
  readonly afterMs: number;

  /** `reason` is in Telegram's words and never holds the token. */
  constructor(kind: FailureKind, reason: string, status = 0, afterMs = 0) {
    super(reason);
    this.name = 'BotApiFailure';
    this.kind = kind;
    this.status = status;
    this.afterMs = afterMs;
  }

  /** The token is wrong or was revoked (404: it does not even look like one). */
  get isLoggedOut(): boolean {
    return this.kind === 'refused' && (this.status === 401 || this.status === 404);
  }

  /** Somebody else follows the bot, or a webhook is set. */
  get isConflict(): boolean {
    return this.kind === 'refused' && this.status === 409;
  }
}

/** https://core.telegram.org/bots/api#making-requests */
interface Answer {
  readonly ok?: unknown;
  readonly result?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown };
}

const DEFAULT_RETRY_S = 1;

/** The result in an answer; throws a BotApiFailure for an answer without one. */
export function resultIn(status: number, text: string): unknown {
  const answer = parsed(text);
  if (answer?.ok === true) return answer.result;
  const reason = typeof answer?.description === 'string' ? answer.description : `HTTP status ${status}`;
  if (status === 429) {
    const seconds = Number(answer?.parameters?.retry_after);
    throw new BotApiFailure('later', reason, status, (seconds > 0 ? seconds : DEFAULT_RETRY_S) * 1_000);
  }
  // A server that restarts says 500 to requests that it may have carried out, and so may a proxy before it.
  throw new BotApiFailure(status >= 400 && status < 500 ? 'refused' : 'unclear', reason, status);
}

function parsed(text: string): Answer | null {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** System and library codes of requests that never left, or were stopped before the first byte of ours was read. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** What a rejection of `fetch` means. `wasWhole`: all of the request had been handed over by then. */
export function failureOf(error: unknown, wasWhole: boolean): BotApiFailure {
  if (error instanceof BotApiFailure) return error;
  const source = sourceOf(error);
  if (source) return new BotApiFailure('refused', source.message);
  const code = codeOf(error);
  if (NEVER_ARRIVED.test(code)) {
    return new BotApiFailure('unreachable', `Telegram cannot be reached (${code})`);
  }
  const reason = `Telegram did not answer${code === '' ? '' : ` (${code})`}`;
  return new BotApiFailure(wasWhole ? 'unclear' : 'unreachable', reason);
}

/** A file that was to be uploaded cannot be read: of what is sent, only the files come from elsewhere. */
function sourceOf(error: unknown): GatewayError | null {
  const { cause } = error as { cause?: unknown };
  return [error, cause].find((each) => each instanceof GatewayError) ?? null;
}

/** `fetch` wraps what the system said, and that may be one error for each address of the host. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}
