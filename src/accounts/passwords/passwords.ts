import { runJob } from '../../jobs/jobs.ts';
import { type HashingOwner, type HashingShares, hashInTurn } from './hashing-shares.ts';

/** In UTF-16 code units. */
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;

/** A hash that takes as long to verify as any other and that no password matches. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Turns passwords into hashes, which are the only thing that is kept of them. Throws TooManyAttempts. */
export interface PasswordHasher {
  /** Returns the hash of a password in PHC format. */
  hash(password: string, owner: HashingOwner): Promise<string>;
  /** Whether a password matches a hash. Without a hash (null) the answer is false and takes the same time. */
  verify(hash: string | null, password: string, owner: HashingOwner): Promise<boolean>;
}

/** Argon2id on another thread. Takes about 30 ms. */
export function argon2id(shares: HashingShares): PasswordHasher {
  return {
    hash: (password, owner) =>
      hashInTurn(shares, owner, () => runJob('hashPassword', password.normalize('NFC'))),
    async verify(hash, password, owner) {
      const check = { hash: hash ?? NOBODYS_HASH, password: password.normalize('NFC') };
      const isRight = await hashInTurn(shares, owner, () => runJob('verifyPassword', check));
      return isRight && hash !== null;
    },
  };
}
