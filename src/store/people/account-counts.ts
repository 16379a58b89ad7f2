import { sql } from 'kysely';
import type { Db } from '../database/rows.ts';

/** Counts the keys created by people: valid ones, and revoked ones that were created after `since`. */
export async function countKeys(db: Db, accountId: string, since: string): Promise<number> {
  return await counted(
    db,
    sql`select count(*) as count from api_keys
      where account_id = ${accountId} and (revoked_at is null or created_at > ${since})
        and not exists (select 1 from internal_bearers where key_id = api_keys.id)`,
  );
}

/** Counts the agent memberships of all the account's keys. */
export async function countKeyPlaces(db: Db, accountId: string): Promise<number> {
  return await counted(
    db,
    sql`select count(*) as count from agent_keys join api_keys on api_keys.id = agent_keys.key_id
      where api_keys.account_id = ${accountId}`,
  );
}

/** Counts the account's uploaded files and reserved uploads. */
export async function countHeldFiles(db: Db, accountId: string): Promise<number> {
  return await counted(
    db,
    sql`select count(*) as count from files where account_id = ${accountId} and state in ('reserved', 'stored')`,
  );
}

/** Counts the reserved uploads that are still open. */
export async function countOpenSlots(db: Db, accountId: string, nowIso: string): Promise<number> {
  return await counted(
    db,
    sql`select count(*) as count from files
      where account_id = ${accountId} and state in ('reserved', 'stored') and state = 'reserved'
        and slot_expires_at > ${nowIso}`,
  );
}

async function counted(db: Db, query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await query.execute(db);
  return (rows[0] as { count: number }).count;
}
