import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/tables.ts';
import type { AccountsTable } from './people-tables.ts';

export type Account = Selectable<AccountsTable>;

/** A new account. Without an address and password, no one can sign in to it with them. */
export type NewAccount = Pick<Account, 'id' | 'name' | 'createdAt'> & Partial<Account>;

export async function insertAccount(db: Db, account: NewAccount): Promise<void> {
  const nobody = { email: null, emailVerifiedAt: null, passwordHash: null, ownerProvenAt: null };
  await db
    .insertInto('accounts')
    .values({ ...nobody, ...account })
    .execute();
}

/** Returns the oldest account, which is the operator's. */
export async function firstAccount(db: Db): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().orderBy('createdAt').limit(1).executeTakeFirst();
}

export async function findAccount(db: Db, accountId: string): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst();
}

/** Tables that grow with an account's activity, except calls. */
const HISTORY = [
  'events',
  'delivery_actions',
  'deliveries',
  'model_turns',
  'transcript_lines',
  'audit_log',
  'messages',
  'idempotent_requests',
];

/**
 * Deletes up to `limit` rows from each of the account's history tables. Returns their number. An account is emptied in
 * such steps before it is deleted: deleting years of data in one transaction would delay everyone's calls.
 */
export async function deleteSomeHistory(db: Db, accountId: string, limit: number): Promise<number> {
  const owned = sql`account_id = ${accountId}`;
  let deleted = 0;
  for (const table of HISTORY) deleted += await deleteSome(db, table, owned, limit);
  // Calls take their transcripts along, so they go last.
  return deleted > 0 ? deleted : await deleteSome(db, 'calls', owned, limit);
}

/** Deletes the account and all rows that refer to it. Returns false if there was none. */
export async function deleteAccount(db: Db, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('accounts').where('id', '=', accountId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** `email` must be in lower case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
}

/** Returns false if the address already has an account. */
export async function insertPerson(db: Db, account: Account): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Updates the data of the person behind an account. Rejects when another account has the address. */
export async function updatePerson(
  db: Db,
  accountId: string,
  change: Partial<Pick<Account, 'email' | 'emailVerifiedAt' | 'passwordHash' | 'ownerProvenAt'>>,
): Promise<void> {
  await db.updateTable('accounts').set(change).where('id', '=', accountId).execute();
}
