import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { type Db, listRows, type Row } from '../database/rows.ts';

export type HeldMessage = Row<'heldMessages'>;

/** Returns the oldest message that is held back in a place. */
export async function firstHeld(db: Db, platform: Platform, place: string): Promise<HeldMessage | undefined> {
  return (await listRows(db, 'heldMessages', { platform, place }, ['seq']))[0];
}

/** Returns how many messages each place of a platform holds back. */
export async function countHeld(db: Db, platform: Platform): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ place: string; count: number }>`
    select place, count(*) as count from held_messages where platform = ${platform} group by place`.execute(
    db,
  );
  return new Map(rows.map(({ place, count }) => [place, count]));
}
