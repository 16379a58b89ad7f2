import { runJob } from '../../threads/jobs.ts';

/** In UTF-16 code units. */
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;

/** A hash that takes as long to verify as any other and that no password matches. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Returns the Argon2id hash of a password in PHC format. Takes about 30 ms on another thread. */
export async function hashPassword(password: string): Promise<string> {
  return await runJob('hashPassword', password.normalize('NFC'));
}

/** Whether a password matches a hash. Without a hash (null) the answer is false and takes the same time. */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const isRight = await runJob('verifyPassword', {
    hash: hash ?? NOBODYS_HASH,
    password: password.normalize('NFC'),
  });
  return isRight && hash !== null;
}
