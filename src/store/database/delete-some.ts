import { type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/**
 * Deletes up to `limit` rows that match a condition. Returns their number. `table` is its name in the database; it must
 * have a rowid.
 */
export async function deleteSome(
  db: Db,
  table: string,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where rowid in (
      select rowid from ${sql.table(table)} where ${condition} limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
