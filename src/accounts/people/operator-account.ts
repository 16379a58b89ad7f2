import type { Db } from '../../store/database/tables.ts';
import { firstAccount } from '../../store/people/accounts.ts';

/**
 * Whether the account is the operator's: the first one ever made, which is entered by keys alone. An account that
 * people sign in to never is, even when it has become the oldest.
 */
export async function isOperatorsAccount(db: Db, accountId: string): Promise<boolean> {
  const first = await firstAccount(db);
  return first?.id === accountId && first.email === null && first.passwordHash === null;
}
