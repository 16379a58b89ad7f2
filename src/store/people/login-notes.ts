import type { Platform } from '../../base/platform.ts';
import type { Db } from '../database/tables.ts';

/** Returns a login's stored position at its platform. Null: none. */
export async function findLoginNote(db: Db, platform: Platform, loginKey: string): Promise<string | null> {
  const row = await db
    .selectFrom('loginPositions')
    .select('position')
    .where('platform', '=', platform)
    .where('loginKey', '=', loginKey)
    .executeTakeFirst();
  return row?.position ?? null;
}

/** Replaces a login's stored position. Null deletes it. */
export async function putLoginNote(
  db: Db,
  platform: Platform,
  loginKey: string,
  position: string | null,
): Promise<void> {
  if (position === null) {
    await db
      .deleteFrom('loginPositions')
      .where('platform', '=', platform)
      .where('loginKey', '=', loginKey)
      .execute();
    return;
  }
  await db
    .insertInto('loginPositions')
    .values({ platform, loginKey, position })
    .onConflict((conflict) => conflict.columns(['platform', 'loginKey']).doUpdateSet({ position }))
    .execute();
}
