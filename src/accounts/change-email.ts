import { GatewayError } from '../base/errors.ts';
import { findAccount, findAccountByEmail, updatePerson } from '../store/accounts.ts';
import { type Actor, audit, nobodyOf } from '../store/audit-log.ts';
import { deleteMailTokens } from '../store/mail-tokens.ts';
import type { Db } from '../store/tables.ts';
import { MAIL_COST } from './attempt-limits.ts';
import { checkPassword } from './change-password.ts';
import { newMailLink, readMailToken } from './mail-links.ts';
import { addressWantedMail, changeEmailMail, emailChangedMail, type Mail } from './mails.ts';
import type { People } from './people.ts';

/**
 * Sends a link to a new address (in lower case), which the account has once the link was followed; a former such link
 * is void. Says nothing about whether the address has an account. Throws `wrong_password` or TooManyAttempts.
 */
export async function changeEmail(
  people: People,
  actor: Actor,
  wanted: { readonly email: string; readonly password: string },
  ip: string,
): Promise<void> {
  const { email, password } = wanted;
  await checkPassword(people, actor.accountId, password, ip);
  people.limits.attempt(ip, `mail ${email}`, MAIL_COST);
  await people.db.transaction().execute(async (trx) => {
    await deleteMailTokens(trx, actor.accountId, 'change_email');
    await audit(trx, actor, 'account.ask_email_change', null, {}, people.clock.nowIso());
  });
  people.mailer.later(() => writeLinkMail(people, actor.accountId, email));
}

async function writeLinkMail(people: People, accountId: string, email: string): Promise<Mail> {
  const owner = await findAccountByEmail(people.db, email);
  if (owner && owner.id !== accountId) return addressWantedMail(email);
  return changeEmailMail(email, await newMailLink(people, 'change_email', accountId, email));
}

/**
 * Gives the account the address that a link was sent to, and tells the former one. Following the link again changes
 * nothing. Throws `invalid_mail_token`, `email_taken` or TooManyAttempts.
 */
export async function confirmEmailChange(people: People, token: string, ip: string): Promise<void> {
  people.limits.attempt(ip, null);
  const former = await people.db.transaction().execute((trx) => moveAddress(people, trx, token));
  if (former !== null) people.mailer.later(async () => emailChangedMail(former));
}

/** Null: there was no other address. */
async function moveAddress(people: People, trx: Db, token: string): Promise<string | null> {
  const nowIso = people.clock.nowIso();
  const proof = await readMailToken(trx, 'change_email', token, nowIso);
  const account = proof && (await findAccount(trx, proof.accountId));
  if (!account) throw new GatewayError('invalid_mail_token');
  const { accountId, email } = proof;
  const owner = await findAccountByEmail(trx, email);
  if (owner && owner.id !== accountId) throw new GatewayError('email_taken');
  if (account.email === email && account.emailVerifiedAt !== null) return null;
  await updatePerson(trx, accountId, { email, emailVerifiedAt: nowIso });
  await deleteMailTokens(trx, accountId, 'reset');
  await deleteMailTokens(trx, accountId, 'verify');
  await audit(trx, nobodyOf(accountId), 'account.change_email', null, {}, nowIso);
  return account.email === email ? null : account.email;
}
