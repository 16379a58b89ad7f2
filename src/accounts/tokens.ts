import { hash, randomBytes } from 'node:crypto';

/** A secret that only its holder keeps: 256 random bits in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token: its SHA-256 in hex. With 256 random bits a slow hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
