import { findAccount } from '../../store/people/accounts.ts';
import { passwordChangedMail } from '../mail/mails.ts';
import type { People } from '../people/people.ts';
import { standingAccess } from '../people/standing-access.ts';

/**
 * Notifies the owner that the password changed, and lists what still gives access to the account, since a thief may
 * have created it.
 */
export function tellOfNewPassword(people: People, accountId: string): void {
  people.mailer.later(async () => {
    const email = (await findAccount(people.db, accountId))?.email ?? null;
    if (email === null) return null;
    const standing = await standingAccess(people.db, accountId);
    return passwordChangedMail(email, `${people.publicUrl()}/auth/reset-password`, standing);
  });
}
