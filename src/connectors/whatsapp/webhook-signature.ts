import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether a header is formatted as a signature. */
export function isSignature(header: string): boolean {
  return SIGNATURE.test(header);
}

/**
 * Whether Meta signed these bytes with our app secret (`X-Hub-Signature-256`). The raw bytes are needed: Meta escapes
 * non-ASCII letters, so reserialized JSON differs.
 */
export function isSigned(body: Uint8Array, header: string, appSecret: string): boolean {
  const [, hex] = SIGNATURE.exec(header) ?? [];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
