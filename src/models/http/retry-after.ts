import type { IncomingHttpHeaders } from 'node:http';
import { retryAfterMs } from '../../base/retry-after.ts';

/**
 * Returns how long an answer asks to wait, in milliseconds; null: it does not say. Some providers add the more exact
 * `retry-after-ms`.
 */
export function requestedWaitMs(headers: IncomingHttpHeaders, nowIso: string): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const wait = headers['retry-after'];
  return wait === undefined ? null : retryAfterMs(wait, nowIso);
}
