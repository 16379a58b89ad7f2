import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyRatchet } from './key-ratchet.ts';

/** Opus silence: it passes unencrypted. */
export const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

const MAGIC = 0xfafa;
const TAG_BYTES = 8;
/** The size of the trailer and the magic marker. */
const FOOTER_BYTES = 3;
const SMALLEST_TRAILER_BYTES = TAG_BYTES + 1 + FOOTER_BYTES;
const GENERATION_SHIFT = 24;

function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32LE(counter, 8);
  return nonce;
}

function writeUleb128(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(0x80 | (rest & 0x7f));
  return Buffer.from([...bytes, rest]);
}

function readUleb128(bytes: Buffer): { readonly value: number; readonly length: number } | null {
  let value = 0;
  for (let i = 0; i < bytes.length && i < 5; i++) {
    const byte = bytes[i]!;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, length: i + 1 };
  }
  return null;
}

/** Encrypts the Opus frames of one sender in one epoch: cipher text, tag of 8 bytes, counter, trailer's size, 0xFAFA. */
export class FrameEncryptor {
  readonly #ratchet: KeyRatchet;
  #counter = 0;

  constructor(ratchet: KeyRatchet) {
    this.#ratchet = ratchet;
  }

  encrypt(frame: Uint8Array): Buffer {
    const counter = this.#counter++;
    const key = this.#ratchet.key(counter >>> GENERATION_SHIFT);
    const cipher = createCipheriv('aes-128-gcm', key, nonceOf(counter), { authTagLength: TAG_BYTES });
    const text = Buffer.concat([cipher.update(frame), cipher.final()]);
    const uleb = writeUleb128(counter);
    const footer = Buffer.alloc(FOOTER_BYTES);
    footer.writeUInt8(TAG_BYTES + uleb.length + FOOTER_BYTES, 0);
    footer.writeUInt16BE(MAGIC, 1);
    return Buffer.concat([text, cipher.getAuthTag(), uleb, footer]);
  }
}

/** A frame that says it is encrypted, taken apart. */
export interface ProtocolFrame {
  readonly text: Buffer;
  readonly tag: Buffer;
  readonly counter: number;
}

/** Null when `frame` is no encrypted one, or has unencrypted ranges: frames of Opus have none. */
export function readProtocolFrame(frame: Buffer): ProtocolFrame | null {
  if (frame.length < SMALLEST_TRAILER_BYTES || frame.readUInt16BE(frame.length - 2) !== MAGIC) return null;
  const trailerBytes = frame.readUInt8(frame.length - FOOTER_BYTES);
  const textEnd = frame.length - trailerBytes;
  if (trailerBytes < SMALLEST_TRAILER_BYTES || textEnd < 0) return null;
  const counterBytes = frame.subarray(textEnd + TAG_BYTES, frame.length - FOOTER_BYTES);
  const counter = readUleb128(counterBytes);
  if (!counter || counter.length !== counterBytes.length || counter.value >= 2 ** 32) return null;
  const tag = frame.subarray(textEnd, textEnd + TAG_BYTES);
  return { text: frame.subarray(0, textEnd), tag, counter: counter.value };
}

/** The other half: decrypts the frames of one sender in one epoch, each counter once. */
export class FrameDecryptor {
  readonly #ratchet: KeyRatchet;
  readonly #used = new Set<number>();

  constructor(ratchet: KeyRatchet) {
    this.#ratchet = ratchet;
  }

  /** The Opus frame; null when it is of another sender or epoch, or forged; 'repeated' when it was decrypted before. */
  decrypt({ text, tag, counter }: ProtocolFrame): Buffer | 'repeated' | null {
    const generation = counter >>> GENERATION_SHIFT;
    // Far ahead of any sender: not worth 255 keys.
    if (generation > 4) return null;
    const decipher = createDecipheriv('aes-128-gcm', this.#ratchet.key(generation), nonceOf(counter), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(tag);
    try {
      const frame = Buffer.concat([decipher.update(text), decipher.final()]);
      if (this.#used.has(counter)) return 'repeated';
      this.#used.add(counter);
      return frame;
    } catch {
      return null;
    }
  }
}
