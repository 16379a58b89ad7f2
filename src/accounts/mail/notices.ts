import type { Db } from '../../store/database/rows.ts';
import { countAccess } from '../../store/people/account-access.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { MailToken } from '../../store/people/mail-tokens.ts';
import type { People } from '../people/people.ts';
import { changeVoidedMail, passwordChangedMail } from './mails.ts';

/**
 * Notifies the owner that the password changed, and lists what still gives access to the account, since a thief may
 * have created it.
 */
export function notifyPasswordChanged(people: People, accountId: string): void {
  people.mailer.later(accountId, async () => {
    const email = (await findAccount(people.db, accountId))?.email ?? null;
    if (email === null) return null;
    const standing = await standingAccess(people.db, accountId);
    return passwordChangedMail(email, `${people.publicUrl()}/auth/reset-password`, standing);
  });
}

/** Notifies addresses that were to become the account's that their change links no longer work. */
export function notifyEmailChangeVoided({ mailer }: People, links: readonly MailToken[]): void {
  const wanted = links.filter(({ purpose }) => purpose === 'change_email');
  const owners = new Map(wanted.map(({ email, accountId }) => [email, accountId]));
  for (const [email, accountId] of owners) mailer.later(accountId, async () => changeVoidedMail(email));
}

/** Describes, for a mail, the access to an account that needs no password; '' when there is none. */
export async function standingAccess(db: Db, accountId: string): Promise<string> {
  const { keys, clients, identities } = await countAccess(db, accountId);
  return [
    [keys, 'API key'],
    [clients, 'connected assistant'],
    [identities, 'linked sign-in'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`)
    .join(', ');
}
