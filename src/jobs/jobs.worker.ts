import { hashSync, verifySync } from '@node-rs/argon2';
import { type Speech, speak } from '../speech/local/flite.ts';

/** Argon2id parameters from OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordCheck {
  /** PHC form. */
  readonly hash: string;
  readonly password: string;
}

/** Hashes a password with a new salt. Returns PHC form. */
export function hashPassword(password: string): string {
  return hashSync(password, ARGON2ID);
}

export function verifyPassword({ hash, password }: PasswordCheck): boolean {
  return verifySync(hash, password);
}

/** Returns mono samples at 16 kHz. */
export function synthesize(speech: Speech): Int16Array<ArrayBuffer> {
  return speak(speech);
}
