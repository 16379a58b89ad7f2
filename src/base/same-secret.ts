import { hash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that tells nothing of how much of a guess was right. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
