import * as z from 'zod';
import type { SendOutcome } from '../contract/messenger.ts';

/** Codes are Meta's: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
const WINDOW_CLOSED = 131_047;

/** Codes that pass by themselves, and after how long it is worth to ask again. */
const PASSING_MS: ReadonlyMap<number, number> = new Map([
  // Of the API as a whole: unknown, or overloaded.
  [1, 2_000],
  [2, 2_000],
  [131_000, 2_000],
  [131_016, 2_000],
  // Maintenance.
  [131_057, 10_000],
  [133_004, 10_000],
  // Too many requests of the app, of the business account; too many messages of the number.
  [4, 60_000],
  [80_007, 60_000],
  [130_429, 1_000],
  // Too many messages to one person: one in six seconds in the long run.
  [131_056, 6_000],
]);

/** Codes that say that the access token is of no use. */
const LOGIN_CODES: ReadonlySet<number> = new Set([0, 3, 10, 190]);
/** What Meta says of a media id that it does not have, or no longer. */
const GONE_CODES: ReadonlySet<number> = new Set([100, 131_052]);

/** What the Graph API says when it did not do what it was asked to. */
export interface GraphError {
  readonly httpStatus: number;
  /** 0 where there was none. */
  readonly code: number;
  /** In Meta's words. */
  readonly text: string;
  /** Null: it does not tell when to come back. */
  readonly retryAfterMs: number | null;
}

const Details = z.object({ details: z.string().optional() });

/** As answers and statuses have it. */
const WireError = z.object({
  code: z.int(),
  message: z.string().optional(),
  title: z.string().optional(),
  error_data: Details.optional().catch(undefined),
});

export const WireErrors = z.array(WireError);

const ErrorAnswer = z.object({ error: WireError });

/** Undefined: the body is no error of the Graph API. */
export function readGraphError(
  httpStatus: number,
  retryAfterS: string | null,
  body: unknown,
): GraphError | undefined {
  const parsed = ErrorAnswer.safeParse(body);
  if (!parsed.success) return undefined;
  const seconds = retryAfterS === null ? Number.NaN : Number(retryAfterS);
  return {
    httpStatus,
    code: parsed.data.error.code,
    text: errorText(parsed.data.error),
    retryAfterMs: Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : null,
  };
}

/** The most telling of its texts, with the code by which it can be looked up. */
export function errorText({ code, message, title, error_data: data }: z.output<typeof WireError>): string {
  const text = data?.details || message || title || 'no reason given';
  return text.includes(`${code}`) ? text : `${text} (${code})`;
}

/** Whether a status or an answer says that the person must write first. */
export function isWindowClosed(code: number): boolean {
  return code === WINDOW_CLOSED;
}

export function isLoginError({ code, httpStatus }: GraphError): boolean {
  return LOGIN_CODES.has(code) || (code >= 200 && code < 300) || httpStatus === 401;
}

export function isMediaGone({ code, httpStatus }: GraphError): boolean {
  return httpStatus === 404 || GONE_CODES.has(code);
}

/** What an answer with an error means for a message: the platform has not taken it. */
export function outcomeOf({ code, httpStatus, text, retryAfterMs }: GraphError): SendOutcome {
  if (isWindowClosed(code)) return { kind: 'window_closed' };
  const passesMs = PASSING_MS.get(code) ?? (httpStatus === 429 ? 1_000 : undefined);
  if (passesMs === undefined) return { kind: 'refused', reason: text, isAddressGone: false };
  return { kind: 'later', reason: text, afterMs: retryAfterMs ?? passesMs };
}
