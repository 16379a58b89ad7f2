import { GatewayError } from '../../base/errors.ts';
import { siteOf } from '../../base/networks.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { type Account, findAccount, findAccountByEmail } from '../../store/people/accounts.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { newMailLink, readMailToken } from '../mail/mail-links.ts';
import { type Mail, resetMail } from '../mail/mails.ts';
import { notifyEmailChangeVoided, notifyPasswordChanged, standingAccess } from '../mail/notices.ts';
import { endForeignAccess, endUnderWay, followEnd, type Kept } from '../people/owners.ts';
import type { People } from '../people/people.ts';
import { MAIL_COST } from './attempt-limits.ts';
import { personOf } from './hashing-shares.ts';

const NOTHING_KEPT: Kept = { sessionId: null, linkHash: '' };

/**
 * Sends a reset link if the address (in lower case) has an account. Neither the response nor its timing reveals whether
 * it has one, or whether the mail limit was reached: everything that depends on the account happens later.
 */
export function forgotPassword(people: People, email: string, ip: string): void {
  if (!people.limits.attemptFromQuietly(ip)) return;
  if (!people.limits.attemptQuietly(`mail ${email}`, MAIL_COST)) return;
  people.mailer.later(siteOf(ip), () => writeResetMail(people, email, resetMail));
}

/** Returns a mail with a reset link; null when no account has the address. */
export async function writeResetMail(
  people: People,
  email: string,
  compose: (to: string, url: string, lost: string) => Mail,
): Promise<Mail | null> {
  // Most addresses in a flood have none, and one transaction after the other would hold up everybody's.
  if (!(await findAccountByEmail(people.db, email))) return null;
  return await people.db.transaction().execute(async (trx) => {
    const account = await findAccountByEmail(trx, email);
    if (!account) return null;
    const { id: accountId, ownerProvenAt } = account;
    const lost = ownerProvenAt === null ? await standingAccess(trx, accountId) : '';
    return compose(email, await newMailLink(people, trx, { purpose: 'reset', accountId, email }), lost);
  });
}

/**
 * Whether a reset link works; it is not used. Counts as other links do, not as passwords: any site can make a browser
 * visit this. Throws TooManyAttempts.
 */
export async function isResetLink(
  { db, clock, limits }: People,
  token: string,
  ip: string,
): Promise<boolean> {
  limits.attempt(ip, null);
  return (await findAccountOf(db, token, clock.nowIso())) !== null;
}

/**
 * Sets a new password with a reset link, which works once, and ends all sessions, other links and codes. The link also
 * verifies the address. If the former password was never proven to be the owner's, all other access ends too. Throws
 * `invalid_mail_token` or TooManyAttempts.
 */
export async function resetPassword(
  people: People,
  token: string,
  password: string,
  address: string,
): Promise<void> {
  const guess = people.guesses.begin({ subject: null, ip: address, browser: null });
  const { id } = await accountOf(people.db, token, people.clock.nowIso());
  guess.right();
  const passwordHash = await people.hasher.hash(password, personOf(id));
  const { account, ended } = await people.db.transaction().execute(async (trx) => {
    const nowIso = people.clock.nowIso();
    const found = await accountOf(trx, token, nowIso);
    const change = { emailVerifiedAt: found.emailVerifiedAt ?? nowIso, ownerProvenAt: nowIso };
    await changeRows(trx, 'accounts', { id: found.id }, { passwordHash, ...change });
    const end = found.ownerProvenAt === null ? endForeignAccess : endUnderWay;
    await audit(trx, unauthenticatedActor(found.id), {
      action: 'account.reset_password',
      detail: { address },
    });
    return { account: found, ended: await end(trx, found.id, nowIso, NOTHING_KEPT) };
  });
  await followEnd(people, account.id, ended, NOTHING_KEPT);
  notifyPasswordChanged(people, account.id);
  notifyEmailChangeVoided(people, ended.links);
}

async function accountOf(db: Db, token: string, nowIso: string): Promise<Account> {
  const account = await findAccountOf(db, token, nowIso);
  if (account === null) throw new GatewayError('invalid_mail_token');
  return account;
}

async function findAccountOf(db: Db, token: string, nowIso: string): Promise<Account | null> {
  const proof = await readMailToken(db, 'reset', token, nowIso);
  const account = proof && (await findAccount(db, proof.accountId));
  return account && account.email === proof.email ? account : null;
}
