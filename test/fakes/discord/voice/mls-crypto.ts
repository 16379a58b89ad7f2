import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { Hash, Kdf, Signature } from 'ts-mls';

const HASH = 'sha256';
const HASH_BYTES = 32;

/** Bytes before a point of P-256 in a SubjectPublicKeyInfo (RFC 5480). */
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

function hmac(key: Uint8Array, ...data: readonly Uint8Array[]): Buffer {
  const mac = createHmac(HASH, key);
  for (const part of data) mac.update(part);
  return mac.digest();
}

/*
 * Primitives of OpenSSL. Those that ts-mls would take do elliptic curves in JavaScript and everything else in hundreds of
 * turns through the thread pool: a commit takes twenty times as long.
 */

export const SHA256: Hash = {
  digest: async (data) => createHash(HASH).update(data).digest(),
  mac: async (key, data) => hmac(key, data),
  verifyMac: async (key, mac, data) => mac.length === HASH_BYTES && timingSafeEqual(mac, hmac(key, data)),
};

/** HKDF (RFC 5869). */
export const HKDF: Kdf = {
  size: HASH_BYTES,
  extract: async (salt, ikm) => hmac(salt.length > 0 ? salt : new Uint8Array(HASH_BYTES), ikm),
  expand: async (prk, info, length) => {
    const blocks: Buffer[] = [];
    for (let i = 1; blocks.length * HASH_BYTES < length; i++) {
      blocks.push(hmac(prk, blocks.at(-1) ?? Buffer.alloc(0), info, Buffer.from([i])));
    }
    return Buffer.concat(blocks).subarray(0, length);
  },
};

/** ECDSA with P-256. Public keys are not compressed, as MLS wants them (RFC 9420 section 5.1.1). */
export const P256: Signature = {
  keygen: async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length);
    return { publicKey: point, signKey: privateKey.export({ type: 'pkcs8', format: 'der' }) };
  },
  sign: async (signKey, message) =>
    sign(HASH, message, createPrivateKey({ key: Buffer.from(signKey), type: 'pkcs8', format: 'der' })),
  verify: async (point, message, signature) => {
    const key = Buffer.concat([SPKI_PREFIX, point]);
    return verify(HASH, message, createPublicKey({ key, type: 'spki', format: 'der' }), signature);
  },
};
