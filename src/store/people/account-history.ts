import { sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/tables.ts';

/** Tables that grow with an account's activity. */
const HISTORY = ['events', 'deliveries', 'calls', 'audit_log', 'messages', 'idempotent_requests'];

/**
 * Deletes up to `limit` rows from each of the account's history tables. Returns their number. An account is emptied in
 * such steps before it is deleted: deleting years of data in one transaction would delay everyone's calls.
 */
export async function deleteSomeHistory(db: Db, accountId: string, limit: number): Promise<number> {
  let deleted = 0;
  for (const table of HISTORY) deleted += await deleteSome(db, table, sql`account_id = ${accountId}`, limit);
  return deleted;
}
