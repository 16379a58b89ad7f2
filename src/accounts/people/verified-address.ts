import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/rows.ts';
import { findAccount } from '../../store/people/accounts.ts';

/**
 * Throws `email_not_verified` when the account's address is not verified (specification, "Authentication", rule 7). The
 * operator's account has no address and passes.
 */
export async function requireVerifiedAddress(db: Db, accountId: string): Promise<void> {
  const account = await findAccount(db, accountId);
  if (account && account.email !== null && account.emailVerifiedAt === null)
    throw new GatewayError('email_not_verified');
}
