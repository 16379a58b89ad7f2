import { GatewayError } from '../base/errors.ts';
import { findAccount, findAccountByEmail, updatePerson } from '../store/accounts.ts';
import { audit, nobodyOf } from '../store/audit-log.ts';
import { forgetIdentities } from '../store/identities.ts';
import { deleteMailTokens } from '../store/mail-tokens.ts';
import { deleteSessionsOf } from '../store/sessions.ts';
import type { Db } from '../store/tables.ts';
import { MAIL_COST } from './attempt-limits.ts';
import { newMailLink, readMailToken } from './mail-links.ts';
import { type Mail, resetMail } from './mails.ts';
import { hashPassword } from './passwords.ts';
import type { People } from './people.ts';

/**
 * Sends a link for a new password where the address (in lower case) has an account. Says nothing about that, neither
 * by its answer nor by its time: all that depends on it happens later. Throws TooManyAttempts for the IP address only.
 */
export function forgotPassword(people: People, email: string, ip: string): void {
  people.limits.attempt(ip, null);
  if (!people.limits.attemptQuietly(`mail ${email}`, MAIL_COST)) return;
  people.mailer.later(() => writeResetMail(people, email));
}

async function writeResetMail(people: People, email: string): Promise<Mail | null> {
  const account = await findAccountByEmail(people.db, email);
  return account ? resetMail(email, await newMailLink(people, 'reset', account.id, email)) : null;
}

/**
 * Sets a new password by a link, once, and signs out every session. The link proves the address, too.
 * Throws `invalid_mail_token` or TooManyAttempts.
 */
export async function resetPassword(
  people: People,
  token: string,
  password: string,
  ip: string,
): Promise<void> {
  people.limits.attempt(ip, null);
  await accountOf(people.db, token, people.clock.nowIso());
  const passwordHash = await hashPassword(password);
  const accountId = await people.db.transaction().execute(async (trx) => {
    const nowIso = people.clock.nowIso();
    const account = await accountOf(trx, token, nowIso);
    // Whoever signed up with another's address must not keep a way in once its owner shows up.
    if (account.emailVerifiedAt === null) await forgetIdentities(trx, account.id);
    await updatePerson(trx, account.id, { passwordHash, emailVerifiedAt: account.emailVerifiedAt ?? nowIso });
    await deleteMailTokens(trx, account.id, 'reset');
    await deleteSessionsOf(trx, account.id);
    await audit(trx, nobodyOf(account.id), 'account.reset_password', null, {}, nowIso);
    return account.id;
  });
  people.sessions.removeAllOf(accountId);
}

async function accountOf(db: Db, token: string, nowIso: string) {
  const proof = await readMailToken(db, 'reset', token, nowIso);
  const account = proof && (await findAccount(db, proof.accountId));
  if (!account || account.email !== proof.email) throw new GatewayError('invalid_mail_token');
  return account;
}
