import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/rows.ts';
import { hasAuditLine } from '../../store/people/audit-log.ts';

/** An account, as the operator sees it. */
export interface ListedAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly createdAt: string;
}

/** Most accounts and messages in one answer. */
const MAX_LISTED = 500;

/**
 * Throws `forbidden` unless the account is of whoever runs the gateway: it got its password by the link that a start
 * prints, which the audit log keeps for good.
 */
export async function assertOperator(db: Db, accountId: string): Promise<void> {
  if (!(await hasAuditLine(db, accountId, 'account.set_up')))
    throw new GatewayError('forbidden', 'Only the operator of this gateway sees this');
}

/** The newest accounts, and how many there are. */
export async function newestAccounts(db: Db): Promise<{ accounts: ListedAccount[]; total: number }> {
  const accounts = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'createdAt'])
    .orderBy('createdAt', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const { total } = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { accounts, total };
}

/** What people have told the operator, newest first. */
export async function newestFeedback(db: Db) {
  return await db
    .selectFrom('feedback')
    .selectAll()
    .orderBy('createdAt', 'desc')
    .limit(MAX_LISTED / 10)
    .execute();
}
