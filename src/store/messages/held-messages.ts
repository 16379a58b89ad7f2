import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { type Db, listRows, type Row } from '../database/rows.ts';

export type HeldMessage = Row<'heldMessages'>;

/** Returns the oldest message that is held back in a place. */
export async function firstHeld(db: Db, platform: Platform, place: string): Promise<HeldMessage | undefined> {
  return (await listRows(db, 'heldMessages', { platform, place }, ['seq']))[0];
}

/** Returns how many messages each place of a platform holds back. */
export async function countHeld(
  db: Db,
  platform: Platform,
): Promise<readonly { readonly place: string; readonly accountId: string; readonly count: number }[]> {
  const { rows } = await sql<{ place: string; accountId: string; count: number }>`
    select place, min(account_id) as accountId, count(*) as count
    from held_messages where platform = ${platform} group by place`.execute(db);
  return rows;
}
