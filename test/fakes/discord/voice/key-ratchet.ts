import { createHmac } from 'node:crypto';

const KEY_BYTES = 16;
const SECRET_BYTES = 32;

/** ExpandWithLabel of MLS (RFC 9420 section 8) for at most 32 bytes, with SHA-256. */
function expandWithLabel(secret: Uint8Array, label: string, context: Uint8Array, bytes: number): Buffer {
  const fullLabel = Buffer.from(`MLS 1.0 ${label}`);
  const info = Buffer.concat([
    Buffer.from([bytes >> 8, bytes & 0xff, fullLabel.length]),
    fullLabel,
    Buffer.from([context.length]),
    context,
  ]);
  return createHmac('sha256', secret)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, bytes);
}

function deriveTreeSecret(secret: Uint8Array, label: string, generation: number, bytes: number): Buffer {
  const context = Buffer.alloc(4);
  context.writeUInt32BE(generation);
  return expandWithLabel(secret, label, context, bytes);
}

/** The keys of one sender in one epoch, a new one for each generation: the ratchet of RFC 9420 section 9.1. */
export class KeyRatchet {
  #secret: Uint8Array;
  readonly #keys: Buffer[] = [];

  /** `baseSecret` is exported from the MLS group. */
  constructor(baseSecret: Uint8Array) {
    this.#secret = baseSecret;
  }

  key(generation: number): Buffer {
    while (this.#keys.length <= generation) {
      const next = this.#keys.length;
      this.#keys.push(deriveTreeSecret(this.#secret, 'key', next, KEY_BYTES));
      this.#secret = deriveTreeSecret(this.#secret, 'secret', next, SECRET_BYTES);
    }
    return this.#keys[generation]!;
  }
}
