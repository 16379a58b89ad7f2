import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether a header has the form of a signature. */
export function isSignature(header: string): boolean {
  return SIGNATURE.test(header);
}

/**
 * Whether Meta signed these bytes with our app's secret (`X-Hub-Signature-256`). They are signed as they came: JSON that
 * was parsed and written again differs, for non-ASCII letters are escaped.
 */
export function isSigned(body: Uint8Array, header: string, appSecret: string): boolean {
  const [, hex] = SIGNATURE.exec(header) ?? [];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
