import { createCipheriv, createDecipheriv } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';

/** The modes that Discord offers; the second one is the one that every client must know. */
export const TRANSPORT_MODES = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const;

export type TransportMode = (typeof TRANSPORT_MODES)[number];

export const TRANSPORT_KEY_BYTES = 32;
const TAG_BYTES = 16;
const COUNTER_BYTES = 4;
const NONCE_BYTES = { aead_aes256_gcm_rtpsize: 12, aead_xchacha20_poly1305_rtpsize: 24 } as const;

/**
 * Encryption between one client and the voice server. A datagram is the RTP header, which is authenticated, the encrypted
 * rest with its tag, and a counter of 32 bits: the first bytes of the nonce, whose other bytes are zero.
 */
export class TransportCipher {
  readonly #mode: TransportMode;
  readonly #key: Uint8Array;
  #counter = 0;

  constructor(mode: TransportMode, key: Uint8Array) {
    this.#mode = mode;
    this.#key = key;
  }

  seal(header: Buffer, plain: Uint8Array): Buffer {
    this.#counter = (this.#counter + 1) >>> 0;
    const nonce = Buffer.alloc(NONCE_BYTES[this.#mode]);
    nonce.writeUInt32BE(this.#counter);
    const sealed =
      this.#mode === 'aead_aes256_gcm_rtpsize'
        ? this.#sealAes(header, plain, nonce)
        : xchacha20poly1305(this.#key, nonce, header).encrypt(plain);
    return Buffer.concat([header, sealed, nonce.subarray(0, COUNTER_BYTES)]);
  }

  /** What the datagram holds behind its header of `headerBytes`; null when key or bytes are not right. */
  open(datagram: Buffer, headerBytes: number): Buffer | null {
    const end = datagram.length - COUNTER_BYTES;
    if (end < headerBytes + TAG_BYTES) return null;
    const nonce = Buffer.alloc(NONCE_BYTES[this.#mode]);
    datagram.copy(nonce, 0, end);
    const header = datagram.subarray(0, headerBytes);
    const sealed = datagram.subarray(headerBytes, end);
    try {
      return this.#mode === 'aead_aes256_gcm_rtpsize'
        ? this.#openAes(header, sealed, nonce)
        : Buffer.from(xchacha20poly1305(this.#key, nonce, header).decrypt(sealed));
    } catch {
      return null;
    }
  }

  #sealAes(header: Uint8Array, plain: Uint8Array, nonce: Uint8Array): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(header);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  #openAes(header: Uint8Array, sealed: Buffer, nonce: Uint8Array): Buffer {
    const textEnd = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(header).setAuthTag(sealed.subarray(textEnd));
    return Buffer.concat([decipher.update(sealed.subarray(0, textEnd)), decipher.final()]);
  }
}
