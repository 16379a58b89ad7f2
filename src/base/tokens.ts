import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A secret that only its holder keeps: random bytes in base64url. */
export function newToken(bytes = TOKEN_BYTES): string {
  return randomBytes(bytes).toString('base64url');
}

/** What is stored of a key or a token: its SHA-256 in hex. With so many random bits a slow hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
