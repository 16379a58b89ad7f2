import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/rows.ts';
import { type Account, findAccount, findAccountByEmail } from '../../store/people/accounts.ts';
import { type Mail, tooManyGuessesMail } from '../mail/mails.ts';
import type { Client, People } from '../people/people.ts';
import { personOf, strangerAt } from './hashing-shares.ts';
import { knownBrowser } from './known-browsers.ts';

/** A password to check against an account. */
export interface ClaimedPassword {
  /** Undefined: no account has the address. The check takes the same time. */
  readonly account: Account | undefined;
  /** The subject that guesses are counted for: the mail address, or the account's id without one. */
  readonly subject: string;
  readonly password: string;
  /** Whether the account itself asks, in a session. */
  readonly isSignedIn: boolean;
}

/** Returns the hash that the password matches; null when it is wrong. Throws TooManyAttempts. */
export async function provenHash(
  people: People,
  { account, subject, password, isSignedIn }: ClaimedPassword,
  client: Client,
): Promise<string | null> {
  const browser = await knownBrowser(people.db, account?.id ?? '', client.browserToken);
  const guess = people.guesses.begin({ subject, ip: client.address, browser });
  const hash = account?.passwordHash ?? null;
  const isKnown = account !== undefined && (isSignedIn || browser !== null);
  const owner = isKnown ? personOf(account.id) : strangerAt(client.address);
  if (await people.hasher.verify(hash, password, owner)) {
    guess.right();
    return hash;
  }
  people.failedPasswords.note(account?.id ?? null, client.address);
  if (guess.wrong()) people.mailer.later(owner.name, () => writeWarning(people, subject));
  return null;
}

/**
 * Like `provenHash`, for a signed-in person. An account without a password accepts none. Throws `wrong_password` or
 * TooManyAttempts.
 */
export async function checkPassword(
  people: People,
  accountId: string,
  password: string,
  client: Client,
): Promise<string> {
  const account = await findAccount(people.db, accountId);
  const claimed = { account, subject: account?.email ?? accountId, password, isSignedIn: true };
  const hash = await provenHash(people, claimed, client);
  if (hash === null) throw new GatewayError('wrong_password');
  return hash;
}

/**
 * Whether the checked password is still the account's, as it may change during the check. Call it in the transaction
 * that depends on the password.
 */
export async function isStillPassword(db: Db, accountId: string, hash: string): Promise<boolean> {
  return (await findAccount(db, accountId))?.passwordHash === hash;
}

async function writeWarning(people: People, email: string): Promise<Mail | null> {
  const account = await findAccountByEmail(people.db, email);
  return account ? tooManyGuessesMail(email, `${people.publicUrl()}/auth/reset-password`) : null;
}
