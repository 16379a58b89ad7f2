import { sql } from 'kysely';
import { type Db, insertRow, type Row } from '../database/rows.ts';

/** Adds a browser and keeps only the account's `keep` most recently used ones. Call it in a transaction. */
export async function insertKnownBrowser(db: Db, browser: Row<'knownBrowsers'>, keep: number): Promise<void> {
  await insertRow(db, 'knownBrowsers', browser);
  await sql`
    delete from known_browsers where token_hash in (
      select token_hash from known_browsers where account_id = ${browser.accountId}
      order by last_used_at desc, token_hash limit -1 offset ${keep})`.execute(db);
}
