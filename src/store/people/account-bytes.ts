import { sql } from 'kysely';
import { changeRows, type Db } from '../database/rows.ts';

/** An account that stores more than it may, or of which this was told. */
export interface CrowdedAccount {
  readonly accountId: string;
  readonly bytes: number;
  /** Whether its owner knows. */
  readonly isTold: boolean;
}

/** Returns the accounts with at least so many bytes, and those whose owners were told. */
export async function crowdedAccounts(db: Db, bytes: number): Promise<CrowdedAccount[]> {
  const rows = await db
    .selectFrom('accountBytes')
    .selectAll()
    .where(({ or, eb }) => or([eb('bytes', '>=', bytes), eb('toldAt', 'is not', null)]))
    .execute();
  return rows.map(({ accountId, bytes: stored, toldAt }) => ({
    accountId,
    bytes: stored,
    isTold: toldAt !== null,
  }));
}

/** Notes when the owner was told that the account is full; null: it no longer is. */
export async function noteTold(db: Db, accountId: string, toldAt: string | null): Promise<void> {
  await changeRows(db, 'accountBytes', { accountId }, { toldAt });
}

/** Events, and what models were told of them. Deliveries under way stay. */
const MAY_GO = [
  { table: 'events', key: 'id', condition: sql`true` },
  { table: 'deliveries', key: 'seq', condition: sql`status in ('delivered', 'merged', 'failed')` },
  { table: 'model_turns', key: 'id', condition: sql`true` },
];

/** Deletes up to `limit` of each kind of the account's rows that may go, the oldest first. Returns their number. */
export async function deleteOldestOf(db: Db, accountId: string, limit: number): Promise<number> {
  let deleted = 0;
  for (const { table, key, condition } of MAY_GO) {
    const column = sql.ref(key);
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ${column} in (
        select ${column} from ${sql.table(table)}
        where account_id = ${accountId} and ${condition} order by ${column} limit ${limit})`.execute(db);
    deleted += Number(numAffectedRows ?? 0n);
  }
  return deleted;
}
