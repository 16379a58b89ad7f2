import type { Selectable } from 'kysely';
import type { AccountsTable, Db } from './tables.ts';

export type Account = Selectable<AccountsTable>;

export async function insertAccount(db: Db, account: Account): Promise<void> {
  await db.insertInto('accounts').values(account).execute();
}

/** The first account ever made: the operator's. */
export async function firstAccount(db: Db): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().orderBy('createdAt').limit(1).executeTakeFirst();
}
