import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-slack-signature';
export const TIMESTAMP_HEADER = 'x-slack-request-timestamp';

/** Older requests may be replays. */
const WINDOW_MS = 300_000;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{1,12}$/;

/** What Slack signs a request with. */
export interface SignedHead {
  readonly timestamp: string;
  readonly signature: string;
}

/** Returns what the headers say; null when they cannot be Slack's, or are not from the last five minutes. */
export function signedHead(header: (name: string) => string, nowMs: number): SignedHead | null {
  const timestamp = header(TIMESTAMP_HEADER);
  const signature = header(SIGNATURE_HEADER);
  if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return null;
  return Math.abs(nowMs - Number(timestamp) * 1_000) > WINDOW_MS ? null : { timestamp, signature };
}

/** Checks a signature over the raw body (https://docs.slack.dev/authentication/verifying-requests-from-slack). */
export function isSigned({ timestamp, signature }: SignedHead, body: Uint8Array, secret: string): boolean {
  const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body);
  return timingSafeEqual(hmac.digest(), Buffer.from(signature.slice('v0='.length), 'hex'));
}
