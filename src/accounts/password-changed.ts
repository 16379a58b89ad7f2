import { countAccess, type StandingAccess } from '../store/account-access.ts';
import { findAccount } from '../store/accounts.ts';
import { passwordChangedMail } from './mails.ts';
import type { People } from './people.ts';

/** Tells the owner of a new password, and of what still opens the account: a thief may have made it. */
export function tellOfNewPassword(people: People, accountId: string): void {
  people.mailer.later(async () => {
    const email = (await findAccount(people.db, accountId))?.email ?? null;
    if (email === null) return null;
    const standing = inWords(await countAccess(people.db, accountId));
    return passwordChangedMail(email, `${people.publicUrl()}/auth/reset-password`, standing);
  });
}

/** '' where there is nothing. */
function inWords({ keys, clients, identities }: StandingAccess): string {
  return [
    [keys, 'API key'],
    [clients, 'connected assistant'],
    [identities, 'linked sign-in'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`)
    .join(', ');
}
