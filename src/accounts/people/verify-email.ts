import { GatewayError } from '../../base/errors.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { type Account, findAccount } from '../../store/people/accounts.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { newMailLink, readMailToken } from '../mail/mail-links.ts';
import { type Mail, verificationMail } from '../mail/mails.ts';
import { MAIL_COST } from '../passwords/attempt-limits.ts';
import type { ValidSession } from '../sessions/session-cache.ts';
import { type Ended, endForeignAccess, followEnd, type Kept, ownSession } from './owners.ts';
import type { People } from './people.ts';

/** A visitor who follows a link from a mail. */
export interface LinkVisitor {
  readonly ip: string;
  /** The browser's session, of any account; null when it is not signed in. */
  readonly session: ValidSession | null;
}

interface Verified {
  readonly accountId: string;
  readonly ended: Ended;
  readonly kept: Kept;
}

/**
 * Verifies the account's address with the link from the mail. The first time, ends all access that existed before,
 * except the visitor's own session: that session shows that the visitor knows the password, so the account is then
 * known to be the owner's. The link works until it expires. Throws `invalid_mail_token` or TooManyAttempts.
 */
export async function verifyEmail(people: People, token: string, visitor: LinkVisitor): Promise<void> {
  people.limits.attempt(visitor.ip, null);
  const verified = await people.db.transaction().execute((trx) => verify(people, trx, token, visitor));
  if (verified) await followEnd(people, verified.accountId, verified.ended, verified.kept);
}

/** Stores the proof. Returns null when the address was already verified. */
async function verify(
  { clock }: People,
  trx: Db,
  token: string,
  { ip, session }: LinkVisitor,
): Promise<Verified | null> {
  const nowIso = clock.nowIso();
  const proof = await readMailToken(trx, 'verify', token, nowIso);
  const account = proof && (await findAccount(trx, proof.accountId));
  if (!account || account.email !== proof.email) throw new GatewayError('invalid_mail_token');
  const kept = { sessionId: await ownSession(trx, account.id, session), linkHash: proof.tokenHash };
  const ownerProvenAt = kept.sessionId === null ? account.ownerProvenAt : (account.ownerProvenAt ?? nowIso);
  const emailVerifiedAt = account.emailVerifiedAt ?? nowIso;
  await changeRows(trx, 'accounts', { id: account.id }, { emailVerifiedAt, ownerProvenAt });
  if (account.emailVerifiedAt !== null) return null;
  const ended = await endForeignAccess(trx, account.id, nowIso, kept);
  await audit(trx, unauthenticatedActor(account.id), {
    action: 'account.verify_email',
    detail: { address: ip },
  });
  return { accountId: account.id, ended, kept };
}

/**
 * Sends the verification link again, unless the address was verified and a visitor proved ownership while signed in.
 * Throws `no_email_address` or TooManyAttempts.
 */
export async function resendVerification(people: People, accountId: string, ip: string): Promise<void> {
  const account = await findAccount(people.db, accountId);
  const email = account?.email ?? null;
  if (!account || email === null) throw new GatewayError('no_email_address');
  if (isProven(account)) return;
  people.limits.attempt(ip, `mail ${email}`, MAIL_COST);
  people.mailer.later(accountId, () => writeVerificationMail(people, accountId, email));
}

function isProven({ emailVerifiedAt, ownerProvenAt }: Account): boolean {
  return emailVerifiedAt !== null && ownerProvenAt !== null;
}

/**
 * Returns a mail with a verification link; null when the address is no longer the account's, or ownership is proven.
 */
export async function writeVerificationMail(
  people: People,
  accountId: string,
  email: string,
): Promise<Mail | null> {
  return await people.db.transaction().execute(async (trx) => {
    const account = await findAccount(trx, accountId);
    if (account?.email !== email || isProven(account)) return null;
    return verificationMail(email, await newMailLink(people, trx, { purpose: 'verify', accountId, email }));
  });
}
