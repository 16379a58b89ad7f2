import { GatewayError } from '../../base/errors.ts';
import { isSameSecret, newId } from '../../base/ids.ts';
import { siteOf } from '../../base/networks.ts';
import { findAccountByEmail, insertPerson } from '../../store/people/accounts.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { ensureDefaultAgent } from '../account/default-agent.ts';
import { alreadySignedUpMail, type Mail } from '../mail/mails.ts';
import { MAIL_COST } from '../passwords/attempt-limits.ts';
import { strangerAt } from '../passwords/hashing-shares.ts';
import { writeResetMail } from '../passwords/reset-password.ts';
import type { People, SignupPolicy } from './people.ts';
import { writeVerificationMail } from './verify-email.ts';

export interface NewPerson {
  /** In lower case. */
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly inviteCode: string | null;
}

/**
 * Creates an account and sends a mail that asks its owner to verify the address. Only that mail reveals whether the
 * address already had an account. Throws `signup_closed`, `invalid_invite_code` or TooManyAttempts.
 */
export async function signUp(people: People, person: NewPerson, ip: string): Promise<void> {
  const { email, password, name, inviteCode } = person;
  people.limits.attempt(ip, `signup ${email}`);
  admit(people.signup, inviteCode);
  const passwordHash = await people.hasher.hash(password, strangerAt(ip));
  const nowIso = people.clock.nowIso();
  const unproven = { emailVerifiedAt: null, ownerProvenAt: null };
  const account = { id: newId('acc'), name, createdAt: nowIso, email, passwordHash, ...unproven };
  await people.db.transaction().execute(async (trx) => {
    if (!(await insertPerson(trx, account))) return;
    await ensureDefaultAgent(trx, account.id, nowIso);
    await audit(trx, unauthenticatedActor(account.id), { action: 'account.sign_up' });
  });
  people.mailer.later(siteOf(ip), () => welcome(people, email, account.id));
}

/** Checks the sign-up policy. Throws `signup_closed` or `invalid_invite_code`. */
function admit(policy: SignupPolicy, inviteCode: string | null): void {
  if (policy.mode === 'open') return;
  if (policy.mode === 'closed' || policy.code === null) throw new GatewayError('signup_closed');
  if (inviteCode === null || !isSameSecret(policy.code, inviteCode))
    throw new GatewayError('invalid_invite_code');
}

async function welcome(people: People, email: string, newAccountId: string): Promise<Mail | null> {
  const account = await findAccountByEmail(people.db, email);
  if (!account) return null;
  if (account.id === newAccountId) return await writeVerificationMail(people, account.id, email);
  // This mail voids earlier links, so it shares the limit of the mails that contain them.
  if (!people.limits.attemptQuietly(`mail ${email}`, MAIL_COST)) return null;
  return await writeResetMail(people, email, alreadySignedUpMail);
}
