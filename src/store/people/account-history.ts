import { sql } from 'kysely';
import type { Db } from '../database/tables.ts';

/** Tables that grow with what an account does, each with its key. */
const HISTORY = [
  ['events', 'id'],
  ['deliveries', 'id'],
  ['calls', 'call_id'],
  ['audit_log', 'id'],
  ['messages', 'seq'],
  ['idempotent_requests', 'rowid'],
] as const;

/**
 * Deletes up to `limit` rows of each of the account's long tables and returns how many they were. An account that is
 * going away is emptied in such steps: to delete years of it in one transaction would hold up everybody's calls.
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
