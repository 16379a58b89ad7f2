/**
 * Returns how long a `Retry-After` header asks to wait, in milliseconds; null: it cannot be read. It has a number of seconds
 * or a date (RFC 9110, 10.2.3).
 */
export function retryAfterMs(header: string, nowIso: string): number | null {
  const waitMs = /^\d+(?:\.\d+)?$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - Date.parse(nowIso);
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
