import { GatewayError } from '../base/errors.ts';
import { findAccount, updatePerson } from '../store/accounts.ts';
import { type Actor, audit } from '../store/audit-log.ts';
import { deleteMailTokens } from '../store/mail-tokens.ts';
import { deleteSessionsOf } from '../store/sessions.ts';
import { passwordChangedMail } from './mails.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { Client, People } from './people.ts';
import { newSession, storeSession } from './sessions.ts';

/**
 * Sets a new password for whoever knows the current one, and signs out every session; returns the token of the one
 * that takes this one's place. Throws `wrong_password` or TooManyAttempts.
 */
export async function changePassword(
  people: People,
  actor: Actor,
  passwords: { readonly current: string; readonly wanted: string },
  client: Client,
): Promise<string> {
  const { accountId } = actor;
  await checkPassword(people, accountId, passwords.current, client.address);
  const passwordHash = await hashPassword(passwords.wanted);
  const { token, session } = newSession(accountId, client, people.clock.nowIso());
  await people.db.transaction().execute(async (trx) => {
    await updatePerson(trx, accountId, { passwordHash });
    await deleteMailTokens(trx, accountId, 'reset');
    await deleteSessionsOf(trx, accountId);
    await audit(trx, actor, 'account.change_password', null, {}, session.createdAt);
    await storeSession(trx, session);
  });
  people.sessions.removeAllOf(accountId);
  people.sessions.add(session);
  people.mailer.later(() => notice(people, accountId));
  return token;
}

/** Throws `wrong_password` unless it is the account's, or TooManyAttempts. An account without one has none that is right. */
export async function checkPassword(
  people: People,
  accountId: string,
  password: string,
  ip: string,
): Promise<void> {
  const subject = `password ${accountId}`;
  people.limits.attempt(ip, subject);
  const account = await findAccount(people.db, accountId);
  if (!(await verifyPassword(account?.passwordHash ?? null, password))) {
    throw new GatewayError('wrong_password');
  }
  people.limits.forgive(subject);
}

async function notice(people: People, accountId: string) {
  const email = (await findAccount(people.db, accountId))?.email ?? null;
  return email === null ? null : passwordChangedMail(email, `${people.publicUrl()}/auth/reset-password`);
}
