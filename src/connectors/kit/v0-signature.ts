import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older requests may be replays. */
const WINDOW_MS = 300_000;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{1,12}$/;

/** The headers, in lower case, in which a platform sends the signature of a request and its time in seconds. */
export interface SignatureHeaders {
  readonly signature: string;
  readonly timestamp: string;
}

/** What a request is signed with. */
export interface SignedHead {
  readonly timestamp: string;
  readonly signature: string;
}

/** Returns what the headers say; null when they cannot be the platform's, or are not from the last five minutes. */
export function signedHead(
  names: SignatureHeaders,
  header: (name: string) => string,
  nowMs: number,
): SignedHead | null {
  const timestamp = header(names.timestamp);
  const signature = header(names.signature);
  if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return null;
  return Math.abs(nowMs - Number(timestamp) * 1_000) > WINDOW_MS ? null : { timestamp, signature };
}

/**
 * Checks a signature over the raw body, as Slack (https://docs.slack.dev/authentication/verifying-requests-from-slack) and
 * Zoom (https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events) make it.
 */
export function isSigned({ timestamp, signature }: SignedHead, body: Uint8Array, secret: string): boolean {
  const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body);
  return timingSafeEqual(hmac.digest(), Buffer.from(signature.slice('v0='.length), 'hex'));
}
