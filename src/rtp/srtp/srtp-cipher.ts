import { createCipheriv, createHmac } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { readUint32 } from '../rtp-packet.ts';

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

/** AES in counter mode and HMAC-SHA1 with one set of session keys (RFC 3711 sections 4.1.1 and 4.2.1). */
export class SrtpCipher {
  readonly tagBytes: number;
  readonly #keys: SessionKeys;
  readonly #counter = Buffer.alloc(16);
  readonly #trailer = Buffer.alloc(4);

  constructor(keys: SessionKeys, tagBytes: number) {
    this.#keys = keys;
    this.tagBytes = tagBytes;
  }

  /** Encrypts or decrypts in place; both are the same operation. `index` has 48 bits. */
  crypt(part: Uint8Array, ssrc: number, index: number): void {
    if (part.length === 0) return;
    const counter = this.#counter;
    counter.fill(0);
    counter.set(this.#keys.salt);
    counter.writeUInt32BE((readUint32(counter, 4) ^ ssrc) >>> 0, 4);
    counter.writeUInt32BE((readUint32(counter, 8) ^ Math.floor(index / 0x1_0000)) >>> 0, 8);
    counter.writeUInt16BE(counter.readUInt16BE(12) ^ (index % 0x1_0000), 12);
    const cipher = createCipheriv('aes-128-ctr', this.#keys.cipherKey, counter);
    part.set(cipher.update(part));
  }

  /**
   * Appends the tag over the first `length` bytes and returns the new length. RTP also authenticates its ROC; RTCP has
   * none.
   */
  sign(bytes: Uint8Array, length: number, roc: number | null): number {
    bytes.set(this.#tag(bytes, length, roc).subarray(0, this.tagBytes), length);
    return length + this.tagBytes;
  }

  /** Verifies the tag after the first `length` bytes in constant time. */
  verify(bytes: Uint8Array, length: number, roc: number | null): boolean {
    const tag = this.#tag(bytes, length, roc);
    let difference = 0;
    for (let i = 0; i < this.tagBytes; i++) difference |= tag[i]! ^ bytes[length + i]!;
    return difference === 0;
  }

  #tag(bytes: Uint8Array, length: number, roc: number | null): Buffer {
    const hmac = createHmac('sha1', this.#keys.authKey).update(bytes.subarray(0, length));
    if (roc !== null) {
      this.#trailer.writeUInt32BE(roc);
      hmac.update(this.#trailer);
    }
    return hmac.digest();
  }
}

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
