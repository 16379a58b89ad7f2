import { GatewayError } from '../base/errors.ts';
import { findAccount, updatePerson } from '../store/accounts.ts';
import { audit, nobodyOf } from '../store/audit-log.ts';
import { MAIL_COST } from './attempt-limits.ts';
import { newMailLink, readMailToken } from './mail-links.ts';
import { verificationMail } from './mails.ts';
import type { People } from './people.ts';

/**
 * Takes a link as proof that the account's address is its owner's. The link works until it expires, since programs
 * that look through mails follow links before people do. Throws `invalid_mail_token` or TooManyAttempts.
 */
export async function verifyEmail(people: People, token: string, ip: string): Promise<void> {
  people.limits.attempt(ip, null);
  const nowIso = people.clock.nowIso();
  await people.db.transaction().execute(async (trx) => {
    const proof = await readMailToken(trx, 'verify', token, nowIso);
    const account = proof && (await findAccount(trx, proof.accountId));
    if (!account || account.email !== proof.email) throw new GatewayError('invalid_mail_token');
    if (account.emailVerifiedAt !== null) return;
    await updatePerson(trx, account.id, { emailVerifiedAt: nowIso });
    await audit(trx, nobodyOf(account.id), 'account.verify_email', null, {}, nowIso);
  });
}

/** Sends the link once more, unless the address is proven. Throws `no_email_address` or TooManyAttempts. */
export async function resendVerification(people: People, accountId: string, ip: string): Promise<void> {
  const account = await findAccount(people.db, accountId);
  const email = account?.email ?? null;
  if (!account || email === null) throw new GatewayError('no_email_address');
  if (account.emailVerifiedAt !== null) return;
  people.limits.attempt(ip, `mail ${email}`, MAIL_COST);
  people.mailer.later(async () =>
    verificationMail(email, await newMailLink(people, 'verify', accountId, email)),
  );
}
