import { sql } from 'kysely';
import type { Db } from '../database/tables.ts';

/** Tables that grow with an account's activity, each with its key. */
const HISTORY = [
  ['events', 'id'],
  ['deliveries', 'id'],
  ['calls', 'call_id'],
  ['audit_log', 'id'],
  ['messages', 'seq'],
  ['idempotent_requests', 'rowid'],
] as const;

/**
 * Deletes up to `limit` rows from each of the account's history tables. Returns their number. An account is emptied in
 * such steps before it is deleted: deleting years of data in one transaction would delay everyone's calls.
 */
export async function deleteSomeHistory(db: Db, accountId: string, limit: number): Promise<number> {
  let deleted = 0n;
  for (const [table, key] of HISTORY) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where account_id = ${accountId} limit ${limit})`.execute(
      db,
    );
    deleted += numAffectedRows ?? 0n;
  }
  return Number(deleted);
}
