import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

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
