import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field, platformJson } from '../../../base/platform-json.ts';

/** Kinds of failed requests to Microsoft. */
export type FailureKind =
  /** The request was rejected. */
  | 'refused'
  /** Rate limited, or a short outage. Microsoft asks to try again. */
  | 'later'
  /** The request did not arrive. */
  | 'unreachable'
  /** The request may have been carried out: there was no answer, or a server error. */
  | 'unclear';

export interface FailureDetail {
  readonly status?: number;
  /** Microsoft's word for the error, such as `ConversationNotFound`. */
  readonly code?: string;
  /** How long Microsoft wants to be left alone; null: it did not say. */
  readonly afterMs?: number | null;
  /** Whether the bot's secret or token was refused. */
  readonly isLoggedOut?: boolean;
}

export class TeamsFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: string;
  readonly afterMs: number | null;
  readonly isLoggedOut: boolean;

  /** `reason` is in Microsoft's words and never contains a token. */
  constructor(kind: FailureKind, reason: string, detail: FailureDetail = {}) {
    super(reason);
    this.name = 'TeamsFailure';
    this.kind = kind;
    this.status = detail.status ?? 0;
    this.code = detail.code ?? '';
    this.afterMs = detail.afterMs ?? null;
    this.isLoggedOut = detail.isLoggedOut ?? false;
  }
}

const MAX_WORDS = 300;
const MAX_PAUSE_MS = 3_600_000;
/** "Retry for error codes 412, 429, 502 and 504" (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit). */
const PASSING: ReadonlySet<number> = new Set([412, 429, 502, 503, 504]);

const Refusal = z.object({ error: z.object({ code: field(z.string()), message: field(z.string()) }) });

/** Reads an answer of the Bot Connector or Graph that is not 2xx. */
export function failureIn(status: number, retryAfter: string | null, body: Uint8Array): TeamsFailure {
  const { data } = Refusal.safeParse(platformJson(body));
  const { code = '', message } = data?.error ?? {};
  const words = cut(message || code || `HTTP status ${status} without a readable answer`);
  if (PASSING.has(status))
    return new TeamsFailure('later', words, { status, code, afterMs: pauseOf(retryAfter) });
  if (status >= 500) return new TeamsFailure('unclear', words, { status, code });
  return new TeamsFailure('refused', code === '' ? words : `${words} (${code})`, { status, code });
}

/** The words of Microsoft, on one line. */
export function cut(words: string): string {
  return words.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS);
}

function pauseOf(retryAfter: string | null): number | null {
  const ms = Number(retryAfter ?? Number.NaN) * 1_000;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_PAUSE_MS) : null;
}

/** Error codes of requests that never left, or that failed before the server read their first byte. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** Classifies a rejection of `fetch`. */
export function failureOf(error: unknown): TeamsFailure {
  if (error instanceof TeamsFailure) return error;
  if (error instanceof GatewayError) return new TeamsFailure('refused', error.message);
  const code = codeOf(error);
  if (NEVER_ARRIVED.test(code)) return new TeamsFailure('unreachable', `Teams could not be reached: ${code}`);
  return new TeamsFailure('unclear', `Teams did not answer${code === '' ? '' : ` (${code})`}`);
}

/** Returns the system error code. `fetch` wraps the system's error, which may be one error per address of the host. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}
