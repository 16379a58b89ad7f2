import type { Db } from '../../store/database/tables.ts';
import { countAccess } from '../../store/people/account-access.ts';

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
