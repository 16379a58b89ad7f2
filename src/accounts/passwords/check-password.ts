import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/tables.ts';
import { type Account, findAccount, findAccountByEmail } from '../../store/people/accounts.ts';
import { type Mail, tooManyGuessesMail } from '../mail/mails.ts';
import type { Client, People } from '../people/people.ts';
import { knownBrowser } from './known-browsers.ts';
import { verifyPassword } from './passwords.ts';

/** A password that somebody says is an account's. */
export interface ClaimedPassword {
  /** Undefined: nobody has the address. Finding that out takes as long. */
  readonly account: Account | undefined;
  /** What guesses are counted by: the mail address. */
  readonly subject: string;
  readonly password: string;
}

/** The hash that a password is right for; null when it is wrong. Throws TooManyAttempts. */
export async function provenHash(
  people: People,
  { account, subject, password }: ClaimedPassword,
  client: Client,
): Promise<string | null> {
  const browser = await knownBrowser(people.db, account?.id ?? '', client.browserToken);
  const guess = people.guesses.begin({ subject, ip: client.address, browser });
  const hash = account?.passwordHash ?? null;
  if (await verifyPassword(hash, password)) {
    guess.right();
    return hash;
  }
  people.failedPasswords.note(account?.id ?? null, client.address);
  if (guess.wrong()) people.mailer.later(() => writeWarning(people, subject));
  return null;
}

/**
 * As `provenHash`, for somebody who is signed in. Throws `wrong_password` or TooManyAttempts. An account without a
 * password has none that is right.
 */
export async function checkPassword(
  people: People,
  accountId: string,
  password: string,
  client: Client,
): Promise<string> {
  const account = await findAccount(people.db, accountId);
  const claimed = { account, subject: account?.email ?? accountId, password };
  const hash = await provenHash(people, claimed, client);
  if (hash === null) throw new GatewayError('wrong_password');
  return hash;
}

/**
 * Whether the password that was checked is still the account's: it may have been replaced while it was being checked.
 * Ask in the transaction that acts on it.
 */
export async function isStillPassword(db: Db, accountId: string, hash: string): Promise<boolean> {
  return (await findAccount(db, accountId))?.passwordHash === hash;
}

async function writeWarning(people: People, email: string): Promise<Mail | null> {
  const account = await findAccountByEmail(people.db, email);
  return account ? tooManyGuessesMail(email, `${people.publicUrl()}/auth/reset-password`) : null;
}
