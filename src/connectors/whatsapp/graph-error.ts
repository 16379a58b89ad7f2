import * as z from 'zod';
import { field } from '../../base/platform-json.ts';
import type { SendOutcome } from '../contract/messenger.ts';

/** Meta's error codes: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
const WINDOW_CLOSED = 131_047;

/** Temporary errors by code, with the delay before a retry. */
const PASSING_MS: ReadonlyMap<number, number> = new Map([
  // API-wide: unknown error or overload.
  [1, 2_000],
  [2, 2_000],
  [131_000, 2_000],
  [131_016, 2_000],
  // Maintenance.
  [131_057, 10_000],
  [133_004, 10_000],
  // Too many requests by the app or the business account, or too many messages from the number.
  [4, 60_000],
  [80_007, 60_000],
  [130_429, 1_000],
  // Too many messages to one person: the long-term limit is one per six seconds.
  [131_056, 6_000],
]);

/** Codes for an unusable access token. */
const LOGIN_CODES: ReadonlySet<number> = new Set([0, 3, 10, 190]);
/** Meta's codes for a media id that does not exist, or no longer exists. */
const GONE_CODES: ReadonlySet<number> = new Set([100, 131_052]);

/** An error answer of the Graph API: the request was not carried out. */
export interface GraphError {
  readonly httpStatus: number;
  /** 0 when there was none. */
  readonly code: number;
  /** Meta's own text. */
  readonly text: string;
  /** Null when the API gives no retry delay. */
  readonly retryAfterMs: number | null;
}

/** Error object in both answers and statuses. */
const WireError = z.object({
  code: z.int(),
  message: z.string().optional(),
  title: z.string().optional(),
  error_data: field(z.object({ details: z.string().optional() })),
});

export const WireErrors = z.array(WireError);

const ErrorAnswer = z.object({ error: WireError });

/** Returns undefined when the body is not a Graph API error. */
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

/** Returns the most specific text of an error, with its code for reference. */
export function errorText({ code, message, title, error_data: data }: z.output<typeof WireError>): string {
  const text = data?.details || message || title || 'no reason given';
  return text.includes(`${code}`) ? text : `${text} (${code})`;
}

/** Whether a code in a status or an answer means that the person must write first. */
export function isWindowClosed(code: number): boolean {
  return code === WINDOW_CLOSED;
}

export function isLoginError({ code, httpStatus }: GraphError): boolean {
  return LOGIN_CODES.has(code) || (code >= 200 && code < 300) || httpStatus === 401;
}

export function isMediaGone({ code, httpStatus }: GraphError): boolean {
  return httpStatus === 404 || GONE_CODES.has(code);
}

/** Converts an error answer to a send outcome. The platform has not accepted the message. */
export function outcomeOf({ code, httpStatus, text, retryAfterMs }: GraphError): SendOutcome {
  if (isWindowClosed(code)) return { kind: 'window_closed' };
  const passesMs = PASSING_MS.get(code) ?? (httpStatus === 429 ? 1_000 : undefined);
  if (passesMs === undefined) return { kind: 'refused', reason: text, isAddressGone: false };
  return { kind: 'later', reason: text, afterMs: retryAfterMs ?? passesMs };
}
