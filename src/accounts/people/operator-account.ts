import type { Db } from '../../store/database/tables.ts';
import { firstAccount } from '../../store/people/accounts.ts';

/**
 * Whether the account is the operator's: the first one ever created, which is accessed with keys only. An account with
 * a password or an address never is, even when it has become the oldest.
 */
export async function isOperatorsAccount(db: Db, accountId: string): Promise<boolean> {
  const first = await firstAccount(db);
  return first?.id === accountId && first.email === null && first.passwordHash === null;
}
