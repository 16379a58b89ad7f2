import { createCipheriv } from 'node:crypto';
import { assert } from '../../../../base/assert.ts';

const MASTER_KEY_BYTES = 16;
const MASTER_SALT_BYTES = 14;
const AUTH_KEY_BYTES = 20;

/** Session keys derived from a master key for one kind of packet (RFC 3711 section 4.3). */
export interface SessionKeys {
  readonly cipherKey: Buffer;
  readonly authKey: Buffer;
  readonly salt: Buffer;
}

/** First of three consecutive labels (sections 4.3.1 and 4.3.2): cipher key, authentication key, salt. */
export const RTP_LABEL = 0;
export const RTCP_LABEL = 3;

/** Derives session keys from 16 bytes of master key and 14 bytes of salt, with a key derivation rate of zero. */
export function deriveSessionKeys(master: Uint8Array, firstLabel: number): SessionKeys {
  assert(master.length === MASTER_KEY_BYTES + MASTER_SALT_BYTES, 'an SRTP master key with salt is 30 bytes');
  return {
    cipherKey: derive(master, firstLabel, MASTER_KEY_BYTES),
    authKey: derive(master, firstLabel + 1, AUTH_KEY_BYTES),
    salt: derive(master, firstLabel + 2, MASTER_SALT_BYTES),
  };
}

/** Section 4.3.3: the key stream of AES in counter mode, starting at the salt with the label in byte 7. */
function derive(master: Uint8Array, label: number, lengthBytes: number): Buffer {
  const counter = Buffer.alloc(16);
  counter.set(master.subarray(MASTER_KEY_BYTES));
  counter[7] = counter[7]! ^ label;
  const cipher = createCipheriv('aes-128-ctr', master.subarray(0, MASTER_KEY_BYTES), counter);
  return cipher.update(Buffer.alloc(lengthBytes));
}
