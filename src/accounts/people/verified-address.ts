import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/tables.ts';
import { findAccount } from '../../store/people/accounts.ts';

/**
 * Throws `email_not_verified` for an account whose address nobody has confirmed (specification, "Authentication",
 * rule 7). An account without an address, the operator's, has nothing to confirm.
 */
export async function requireVerifiedAddress(db: Db, accountId: string): Promise<void> {
  const account = await findAccount(db, accountId);
  if (account && account.email !== null && account.emailVerifiedAt === null)
    throw new GatewayError('email_not_verified');
}
