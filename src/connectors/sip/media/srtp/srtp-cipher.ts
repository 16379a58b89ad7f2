import { createCipheriv, createHmac } from 'node:crypto';
import { readUint32 } from '../rtp/rtp-packet.ts';
import type { SessionKeys } from './srtp-keys.ts';

/** AES in counter mode and HMAC-SHA1 with one set of session keys (RFC 3711 sections 4.1.1 and 4.2.1). */
export class SrtpCipher {
  readonly #keys: SessionKeys;
  readonly #tagBytes: number;
  readonly #counter = Buffer.alloc(16);
  readonly #trailer = Buffer.alloc(4);

  constructor(keys: SessionKeys, tagBytes: number) {
    this.#keys = keys;
    this.#tagBytes = tagBytes;
  }

  get tagBytes(): number {
    return this.#tagBytes;
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
    bytes.set(this.#tag(bytes, length, roc).subarray(0, this.#tagBytes), length);
    return length + this.#tagBytes;
  }

  /** Verifies the tag after the first `length` bytes in constant time. */
  verify(bytes: Uint8Array, length: number, roc: number | null): boolean {
    const tag = this.#tag(bytes, length, roc);
    let difference = 0;
    for (let i = 0; i < this.#tagBytes; i++) difference |= tag[i]! ^ bytes[length + i]!;
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
