import { hashToken, newToken } from '../../base/tokens.ts';
import type { Db } from '../../store/database/tables.ts';
import {
  findKnownBrowser,
  insertKnownBrowser,
  touchKnownBrowser,
} from '../../store/people/known-browsers.ts';

/** One more takes the place of the one used longest ago. */
const MAX_BROWSERS_PER_ACCOUNT = 20;

/**
 * The hash of a browser's token, if the account's password was right there before and has not been changed since; null
 * for a stranger. It opens nothing: guesses made there are counted for themselves.
 */
export async function knownBrowser(db: Db, accountId: string, token: string | null): Promise<string | null> {
  if (token === null) return null;
  return (await findKnownBrowser(db, accountId, hashToken(token)))?.tokenHash ?? null;
}

/** Notes that the password was right. Returns the browser's new token; null: it has one. Run it in a transaction. */
export async function rememberBrowser(
  db: Db,
  accountId: string,
  token: string | null,
  nowIso: string,
): Promise<string | null> {
  const known = await knownBrowser(db, accountId, token);
  if (known !== null) {
    await touchKnownBrowser(db, known, nowIso);
    return null;
  }
  const made = newToken();
  const browser = { tokenHash: hashToken(made), accountId, createdAt: nowIso, lastUsedAt: nowIso };
  await insertKnownBrowser(db, browser, MAX_BROWSERS_PER_ACCOUNT);
  return made;
}
