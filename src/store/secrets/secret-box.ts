import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { assert } from '../../base/assert.ts';

export const MASTER_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The location a secret belongs to. A sealed text cannot be opened in another location. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

/** Returns where the secrets of a column belong, by row. */
export function secretPlaces(table: string, column: string): (row: string) => SecretPlace {
  return (row) => ({ table, column, row });
}

/**
 * Seals secrets for storage with AES-256-GCM (NIST SP 800-38D) under the master key. A sealed text is `v1.<key
 * id>.<base64url of nonce, ciphertext and tag>`. The version and key id allow a later format or a new key to coexist
 * with old texts.
 */
export class SecretBox {
  readonly keyId: string;
  readonly #key: Buffer;

  constructor(masterKey: Buffer) {
    assert(masterKey.length === MASTER_KEY_BYTES, 'a master key has 32 bytes');
    this.#key = Buffer.from(masterKey);
    this.keyId = createHmac('sha256', this.#key).update('key id').digest('hex').slice(0, 8);
  }

  seal(secret: string, place: SecretPlace): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(this.#context(place));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.keyId}.${sealed.toString('base64url')}`;
  }

  /** Throws when the text was altered, moved to another location, or sealed with another key. */
  open(sealedText: string, place: SecretPlace): string {
    const [version, keyId, body] = sealedText.split('.');
    if (version !== 'v1' || body === undefined) throw new Error(`${describe(place)} is not a sealed secret`);
    if (keyId !== this.keyId) throw new Error(`${describe(place)} was sealed with the master key ${keyId}`);
    const bytes = Buffer.from(body, 'base64url');
    const tagAt = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#context(place));
    decipher.setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]).toString(
      'utf8',
    );
  }

  #context(place: SecretPlace): Buffer {
    return Buffer.from(JSON.stringify(['v1', this.keyId, place.table, place.column, place.row]));
  }
}

function describe(place: SecretPlace): string {
  return `${place.table}.${place.column} of ${place.row}`;
}
