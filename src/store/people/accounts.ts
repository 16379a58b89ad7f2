import { sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import { changeRows, type Db, findRow, insertNewRow, insertRow, type Row } from '../database/rows.ts';

export type Account = Row<'accounts'>;

/** A new account. Without an address and password, no one can sign in to it with them. */
export type NewAccount = Pick<Account, 'id' | 'name' | 'createdAt'> & Partial<Account>;

export async function insertAccount(db: Db, account: NewAccount): Promise<void> {
  const nobody = { email: null, emailVerifiedAt: null, passwordHash: null, ownerProvenAt: null };
  await insertRow(db, 'accounts', { ...nobody, ...account });
}

/** Returns the oldest account, which is the operator's. */
export async function firstAccount(db: Db): Promise<Account | undefined> {
  return await db.selectFrom('accounts').selectAll().orderBy('createdAt').limit(1).executeTakeFirst();
}

export async function findAccount(db: Db, accountId: string): Promise<Account | undefined> {
  return await findRow(db, 'accounts', { id: accountId });
}

/** Notes since when the account is being deleted; null: it stays. */
export async function noteLeaving(db: Db, accountId: string, leavingAt: string | null): Promise<void> {
  await changeRows(db, 'accounts', { id: accountId }, { leavingAt });
}

/** Returns the accounts whose deletion has begun. */
export async function leavingAccounts(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('accounts').select('id').where('leavingAt', 'is not', null).execute();
  return rows.map(({ id }) => id);
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

/** `email` must be in lower case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  return await findRow(db, 'accounts', { email });
}

/** Returns false if the address already has an account. */
export async function insertPerson(db: Db, account: NewAccount): Promise<boolean> {
  return await insertNewRow(db, 'accounts', account);
}
