import { type RawBuilder, sql } from 'kysely';
import type { Db } from './rows.ts';

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

/**
 * Deletes those of the `limit` oldest rows that are from before a time. Returns their number. `key` grows with time, so
 * at most `limit` rows are examined.
 */
export async function deleteOldest(
  db: Db,
  { table, key, condition = sql`true` }: Oldest,
  before: string,
  limit: number,
): Promise<number> {
  const rows = sql.table(table);
  const column = sql.ref(key);
  const { numAffectedRows } = await sql`
    delete from ${rows} where ${column} in (
      select ${column} from (
        select ${column}, created_at from ${rows} where ${condition} order by ${column} limit ${limit})
      where created_at < ${before})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

interface Oldest {
  readonly table: string;
  readonly key: string;
  /** Default: all rows. */
  readonly condition?: RawBuilder<unknown>;
}
