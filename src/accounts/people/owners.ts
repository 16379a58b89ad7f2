import type { Db } from '../../store/database/tables.ts';
import { endOpenExchanges } from '../../store/keys/oauth-grants.ts';
import { deleteAccess, type GoneLogins } from '../../store/people/account-access.ts';
import { audit, nobodyOf } from '../../store/people/audit-log.ts';
import { forgetBrowsers } from '../../store/people/known-browsers.ts';
import { type MailToken, voidMailTokens } from '../../store/people/mail-tokens.ts';
import { deleteSessionsOf, hasSession } from '../../store/people/sessions.ts';
import { forgetSignIns } from '../../store/people/sign-ins.ts';
import type { ValidSession } from '../sessions/session-cache.ts';
import type { People } from './people.ts';

/** What goes on when everything else that is under way in an account ends. */
export interface Kept {
  /** The session of whoever acts; null: none. */
  readonly sessionId: string | null;
  /** The link that was followed, so that following it again tells the same; '' for none. */
  readonly linkHash: string;
}

/** What came to an end. */
export interface Ended {
  /** Links that had been sent and would have worked. */
  readonly links: readonly MailToken[];
  /** Logins at platforms that are gone from the database; null: they stay. */
  readonly logins: GoneLogins | null;
}

/**
 * Ends what is under way in an account because its password or its address changes: links in mails, sessions, browsers
 * that are known, codes and repeated refreshes of MCP clients, sign-ins at providers. Run it in the transaction of the change, and `followEnd`
 * after it.
 */
export async function endUnderWay(db: Db, accountId: string, nowIso: string, kept: Kept): Promise<Ended> {
  const links = await voidMailTokens(db, accountId, nowIso, kept.linkHash);
  await deleteSessionsOf(db, accountId, kept.sessionId);
  await forgetBrowsers(db, accountId);
  await forgetSignIns(db, accountId);
  await endOpenExchanges(db, accountId);
  return { links, logins: null };
}

/**
 * The same, and takes away all access that was made before the owner of the address showed up: whoever signed up with
 * the address of another keeps nothing.
 */
export async function endForeignAccess(
  db: Db,
  accountId: string,
  nowIso: string,
  kept: Kept,
): Promise<Ended> {
  const { links } = await endUnderWay(db, accountId, nowIso, kept);
  const logins = await deleteAccess(db, accountId, nowIso);
  await audit(db, nobodyOf(accountId), {
    action: 'account.end_foreign_access',
    subject: null,
    detail: {},
    createdAt: nowIso,
  });
  return { links, logins };
}

/** Lets what runs follow, once the change is committed. */
export async function followEnd(people: People, accountId: string, ended: Ended, kept: Kept): Promise<void> {
  people.sessions.removeAllOf(accountId, kept.sessionId);
  await people.followAccess(accountId, ended.logins);
}

/** The id of a browser's session if it is the account's and has not ended meanwhile; null for any other. */
export async function ownSession(
  db: Db,
  accountId: string,
  session: ValidSession | null,
): Promise<string | null> {
  if (session?.accountId !== accountId) return null;
  return (await hasSession(db, session.id)) ? session.id : null;
}
