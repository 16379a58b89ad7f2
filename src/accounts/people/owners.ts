import { type Db, deleteRows } from '../../store/database/rows.ts';
import { endOpenExchanges } from '../../store/keys/oauth-grants.ts';
import { deleteAccess, type GoneLogins } from '../../store/people/account-access.ts';
import { audit, unauthenticatedActor } from '../../store/people/audit-log.ts';
import { type MailToken, voidMailTokens } from '../../store/people/mail-tokens.ts';
import { deleteSessionsOf, hasSession } from '../../store/people/sessions.ts';
import type { ValidSession } from '../sessions/session-cache.ts';
import type { People } from './people.ts';

/** The session and the link that are kept when an account's sessions and links end. */
export interface Kept {
  /** The session of the person who makes the change; null: none. */
  readonly sessionId: string | null;
  /** The hash of the link that was followed, so that following it again has the same result; '' for none. */
  readonly linkHash: string;
}

/** Links and logins that were ended. */
export interface Ended {
  /** Voided links that were still valid. */
  readonly links: readonly MailToken[];
  /** Platform logins that were deleted from the database; null: none were. */
  readonly logins: GoneLogins | null;
}

/**
 * Ends everything temporary in an account whose password or address changes: mail links, sessions, known browsers,
 * codes and repeatable refreshes of MCP clients, sign-ins at providers and connections in progress. Run it in the
 * transaction of the change, and `followEnd` after that.
 */
export async function endUnderWay(db: Db, accountId: string, nowIso: string, kept: Kept): Promise<Ended> {
  const links = await voidMailTokens(db, accountId, nowIso, kept.linkHash);
  await deleteSessionsOf(db, accountId, kept.sessionId);
  await deleteRows(db, 'knownBrowsers', { accountId });
  await deleteRows(db, 'signIns', { accountId });
  await deleteRows(db, 'connectionStates', { accountId });
  await endOpenExchanges(db, accountId);
  return { links, logins: null };
}

/**
 * Like `endUnderWay`, and also deletes all access that was created before the owner of the address proved it. Someone
 * who signed up with another person's address keeps nothing.
 */
export async function endForeignAccess(
  db: Db,
  accountId: string,
  nowIso: string,
  kept: Kept,
): Promise<Ended> {
  const { links } = await endUnderWay(db, accountId, nowIso, kept);
  const logins = await deleteAccess(db, accountId, nowIso);
  await audit(db, unauthenticatedActor(accountId), { action: 'account.end_foreign_access' });
  return { links, logins };
}

/** Applies the end to the running gateway. Call it once the change is committed. */
export async function followEnd(people: People, accountId: string, ended: Ended, kept: Kept): Promise<void> {
  people.sessions.removeAllOf(accountId, kept.sessionId);
  await people.followAccess(accountId, ended.logins);
}

/** Returns the id of a browser's session if it belongs to the account and has not ended; null otherwise. */
export async function ownSession(
  db: Db,
  accountId: string,
  session: ValidSession | null,
): Promise<string | null> {
  if (session?.accountId !== accountId) return null;
  return (await hasSession(db, session.id)) ? session.id : null;
}
