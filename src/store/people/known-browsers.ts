import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { KnownBrowsersTable } from './people-tables.ts';

export type KnownBrowser = Selectable<KnownBrowsersTable>;

export async function findKnownBrowser(
  db: Db,
  accountId: string,
  tokenHash: string,
): Promise<KnownBrowser | undefined> {
  return await db
    .selectFrom('knownBrowsers')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('accountId', '=', accountId)
    .executeTakeFirst();
}

/** Adds a browser and keeps only the account's `keep` most recently used ones. Call it in a transaction. */
export async function insertKnownBrowser(db: Db, browser: KnownBrowser, keep: number): Promise<void> {
  await db.insertInto('knownBrowsers').values(browser).execute();
  await sql`
    delete from known_browsers where token_hash in (
      select token_hash from known_browsers where account_id = ${browser.accountId}
      order by last_used_at desc, token_hash limit -1 offset ${keep})`.execute(db);
}

export async function touchKnownBrowser(db: Db, tokenHash: string, usedAt: string): Promise<void> {
  await db
    .updateTable('knownBrowsers')
    .set({ lastUsedAt: usedAt })
    .where('tokenHash', '=', tokenHash)
    .execute();
}

/** Deletes all known browsers of the account. */
export async function forgetBrowsers(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('knownBrowsers').where('accountId', '=', accountId).execute();
}
