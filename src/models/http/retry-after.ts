import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns how long an answer asks to wait, in milliseconds; null: it does not say. `retry-after` is a number of seconds or
 * a date (RFC 9110, 10.2.3); some providers add the more exact `retry-after-ms`.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowIso: string): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const wait = headers['retry-after'];
  if (wait === undefined) return null;
  const waitMs = /^\d+(?:\.\d+)?$/.test(wait) ? Number(wait) * 1_000 : Date.parse(wait) - Date.parse(nowIso);
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
