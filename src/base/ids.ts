import { hash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Kinds of identifiers. The prefix shows the kind in logs. */
export type IdKind =
  | 'acc'
  | 'agt'
  | 'key'
  | 'call'
  | 'room'
  | 'part'
  | 'did'
  | 'evt'
  | 'req'
  | 'leg'
  | 'dlv'
  | 'bot'
  | 'fbk'
  | 'prb'
  | 'ses'
  | 'idn'
  | 'con'
  | 'cnv'
  | 'msg'
  | 'cli'
  | 'aut'
  | 'grt'
  | 'mcs'
  | 'utt'
  | 'fgt'
  | 'f';

const ID_BYTES = 15;
/** Random bytes for many identifiers: drawing them for each one would take several times as long as writing it. */
const drawn = Buffer.alloc(256 * ID_BYTES);
let used = drawn.length;

/**
 * Returns a random identifier such as `call_3q2-7wV1kX9eQ0aB`: 15 random bytes in base64url, which cannot be guessed.
 */
export function newId(kind: IdKind): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return `${kind}_${drawn.toString('base64url', used - ID_BYTES, used)}`;
}

/** Returns a new API key: `svc_` and 32 random bytes in base64url. */
export function newApiKey(): string {
  return `svc_${randomBytes(32).toString('base64url')}`;
}

const TOKEN_BYTES = 32;

/** Returns a new secret token: random bytes in base64url. */
export function newToken(bytes = TOKEN_BYTES): string {
  return randomBytes(bytes).toString('base64url');
}

/**
 * Returns the stored form of a key or token: its SHA-256 in hex. With this many random bits a slow hash would add
 * nothing.
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Compares secrets by their hashes, in a time that reveals nothing about a partial match. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
