import { firstAccount } from '../store/accounts.ts';
import type { Db } from '../store/tables.ts';

/**
 * Whether the account is the operator's: the first one ever made, which is entered by keys alone. An account that
 * people sign in to never is, even when it has become the oldest.
 */
export async function isOperatorsAccount(db: Db, accountId: string): Promise<boolean> {
  const first = await firstAccount(db);
  return first?.id === accountId && first.email === null && first.passwordHash === null;
}
