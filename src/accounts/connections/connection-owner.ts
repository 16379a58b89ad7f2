import type { Db } from '../../store/database/tables.ts';
import { findAccount } from '../../store/people/accounts.ts';
import { isOperatorsAccount } from '../logins/sip-accounts.ts';

/** Returns an account's owner by what they have proven, for people at a platform: names can be made up. */
export async function ownerOf(db: Db, accountId: string): Promise<string> {
  return (await findAccount(db, accountId))?.email ?? (await namelessOwner(db, accountId));
}

/** As `ownerOf`, for an account without an email address. */
export async function namelessOwner(db: Db, accountId: string): Promise<string> {
  return (await isOperatorsAccount(db, accountId))
    ? 'the operator of this gateway'
    : 'an account without an email address';
}
