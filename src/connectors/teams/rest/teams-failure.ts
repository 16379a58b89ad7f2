import * as z from 'zod';
import { oneLine } from '../../../base/one-line.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import { type FailureKind, unanswered } from '../../kit/unanswered.ts';

export interface FailureDetail {
  readonly status?: number;
  /** Microsoft's word for the error, such as `ConversationNotFound`. */
  readonly code?: string;
  /** How long Microsoft wants to be left alone; null: it did not say. */
  readonly afterMs?: number | null;
  /** Whether the bot's secret or token was refused. */
  readonly isLoggedOut?: boolean;
}

const MAX_WORDS = 300;

export class TeamsFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: string;
  readonly afterMs: number | null;
  readonly isLoggedOut: boolean;

  /** `reason` is in Microsoft's words and never contains a token. */
  constructor(kind: FailureKind, reason: string, detail: FailureDetail = {}) {
    super(oneLine(reason, MAX_WORDS));
    this.name = 'TeamsFailure';
    this.kind = kind;
    this.status = detail.status ?? 0;
    this.code = detail.code ?? '';
    this.afterMs = detail.afterMs ?? null;
    this.isLoggedOut = detail.isLoggedOut ?? false;
  }
}

const MAX_PAUSE_MS = 3_600_000;
/** "Retry for error codes 412, 429, 502 and 504" (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit). */
const PASSING: ReadonlySet<number> = new Set([412, 429, 502, 503, 504]);

const Refusal = z.object({ error: z.object({ code: field(z.string()), message: field(z.string()) }) });

/** Reads an answer of the Bot Connector or Graph that is not 2xx. */
export function failureIn(status: number, retryAfter: string | null, body: Uint8Array): TeamsFailure {
  const { data } = Refusal.safeParse(platformJson(body));
  const { code = '', message } = data?.error ?? {};
  const words = message || code || `HTTP status ${status} without a readable answer`;
  if (PASSING.has(status))
    return new TeamsFailure('later', words, { status, code, afterMs: pauseOf(retryAfter) });
  if (status >= 500) return new TeamsFailure('unclear', words, { status, code });
  return new TeamsFailure('refused', code === '' ? words : `${words} (${code})`, { status, code });
}

function pauseOf(retryAfter: string | null): number | null {
  const ms = Number(retryAfter ?? Number.NaN) * 1_000;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_PAUSE_MS) : null;
}

/** Classifies a rejection of `fetch`. */
export function failureOf(error: unknown): TeamsFailure {
  if (error instanceof TeamsFailure) return error;
  const { kind, words } = unanswered('Teams', error);
  return new TeamsFailure(kind, words);
}
