import { hashToken, newToken } from '../../base/ids.ts';
import { changeRows, type Db, findRow } from '../../store/database/rows.ts';
import { insertKnownBrowser } from '../../store/people/known-browsers.ts';

/** Beyond this limit, the browser used longest ago is replaced. */
const MAX_BROWSERS_PER_ACCOUNT = 20;

/**
 * Returns the hash of a browser's token if the account's password was right in that browser and has not changed since;
 * null otherwise. The token gives no access: it only gives the browser its own count of guesses.
 */
export async function knownBrowser(db: Db, accountId: string, token: string | null): Promise<string | null> {
  if (token === null) return null;
  return (await findRow(db, 'knownBrowsers', { accountId, tokenHash: hashToken(token) }))?.tokenHash ?? null;
}

/**
 * Records that the password was right in a browser. Returns the browser's new token; null when it already has one. Run
 * it in a transaction.
 */
export async function rememberBrowser(
  db: Db,
  accountId: string,
  token: string | null,
  nowIso: string,
): Promise<string | null> {
  const known = await knownBrowser(db, accountId, token);
  if (known !== null) {
    await changeRows(db, 'knownBrowsers', { tokenHash: known }, { lastUsedAt: nowIso });
    return null;
  }
  const made = newToken();
  const browser = { tokenHash: hashToken(made), accountId, createdAt: nowIso, lastUsedAt: nowIso };
  await insertKnownBrowser(db, browser, MAX_BROWSERS_PER_ACCOUNT);
  return made;
}
