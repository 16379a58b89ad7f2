import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { AccountsTable } from './people-tables.ts';

export type Account = Selectable<AccountsTable>;

/** An account that nobody signs in to by address and password, unless those are given. */
export type NewAccount = Pick<Account, 'id' | 'name' | 'createdAt'> & Partial<Account>;

export async function insertAccount(db: Db, account: NewAccount): Promise<void> {
  const nobody = { email: null, emailVerifiedAt: null, passwordHash: null, ownerProvenAt: null };
  await db
    .insertInto('accounts')
    .values({ ...nobody, ...account })
    .execute();
}

/** The first account ever made: the operator's. */
export async function firstAccount(db: Db): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().orderBy('createdAt').limit(1).executeTakeFirst();
}

export async function findAccount(db: Db, accountId: string): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst();
}

/** Deletes the account, and with it every row of every table that names it. False: there was none. */
export async function deleteAccount(db: Db, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('accounts').where('id', '=', accountId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** `email` in lower case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
}

/** False: the address has an account already. */
export async function insertPerson(db: Db, account: Account): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** What changes about the person behind an account. Rejects when another account has the address. */
export async function updatePerson(
  db: Db,
  accountId: string,
  change: Partial<Pick<Account, 'email' | 'emailVerifiedAt' | 'passwordHash' | 'ownerProvenAt'>>,
): Promise<void> {
  await db.updateTable('accounts').set(change).where('id', '=', accountId).execute();
}
