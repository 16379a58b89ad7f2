import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { hashToken, newToken } from '../../base/tokens.ts';
import type { Db } from '../../store/database/tables.ts';
import { audit } from '../../store/people/audit-log.ts';
import { deleteSession, insertSession, type StoredSession } from '../../store/people/sessions.ts';
import { ensureDefaultAgent } from '../account/default-agent.ts';
import { isStillPassword } from '../passwords/check-password.ts';
import { rememberBrowser } from '../passwords/known-browsers.ts';
import type { Client, People } from '../people/people.ts';
import { expiryFrom } from './session-cache.ts';

/** Beyond this limit, a new sign-in ends the session used longest ago. */
const MAX_SESSIONS_PER_ACCOUNT = 50;

/** A new session. Its token is only known now. */
export interface NewSession {
  readonly token: string;
  readonly session: StoredSession;
}

/** The tokens that a browser gets on sign-in. */
export interface OpenedSession {
  readonly token: string;
  /** Makes the browser known from now on; null: it is known already, or no password was used. */
  readonly browserToken: string | null;
}

/** Opens a session for a person who was authenticated without a password. Returns the token for the cookie. */
export async function openSession(people: People, accountId: string, client: Client): Promise<string> {
  return (await open(people, accountId, client, null)).token;
}

/**
 * Opens a session for a person whose password matched this hash, and makes the browser known. Throws `invalid_login`
 * when the password changed during the check.
 */
export async function openSessionByPassword(
  people: People,
  accountId: string,
  client: Client,
  passwordHash: string,
): Promise<OpenedSession> {
  return await open(people, accountId, client, passwordHash);
}

async function open(
  people: People,
  accountId: string,
  client: Client,
  passwordHash: string | null,
): Promise<OpenedSession> {
  const { token, session } = newSession(accountId, client, people.clock.nowIso());
  const surplus = people.sessions.of(accountId).slice(MAX_SESSIONS_PER_ACCOUNT - 1);
  const browserToken = await people.db.transaction().execute(async (trx) => {
    if (passwordHash !== null && !(await isStillPassword(trx, accountId, passwordHash)))
      throw new GatewayError('invalid_login');
    await ensureDefaultAgent(trx, accountId, session.createdAt);
    for (const { id } of surplus) await deleteSession(trx, id);
    await storeSession(trx, session);
    if (passwordHash === null) return null;
    return await rememberBrowser(trx, accountId, client.browserToken, session.createdAt);
  });
  for (const { id } of surplus) people.sessions.remove(id);
  people.sessions.add(session);
  await people.roster.reload(accountId);
  return { token, browserToken };
}

/** Closes a session (signs out). */
export async function closeSession(people: People, sessionId: string): Promise<void> {
  people.sessions.remove(sessionId);
  await deleteSession(people.db, sessionId);
}

export function newSession(accountId: string, client: Client, nowIso: string): NewSession {
  const token = newToken();
  const session = {
    id: newId('ses'),
    accountId,
    tokenHash: hashToken(token),
    userAgent: client.userAgent,
    address: client.address,
    createdAt: nowIso,
    lastUsedAt: nowIso,
    expiresAt: expiryFrom(nowIso),
  };
  return { token, session };
}

/** Stores a session and writes it to the audit log. */
export async function storeSession(db: Db, session: StoredSession): Promise<void> {
  const { id, accountId, createdAt } = session;
  await insertSession(db, session);
  const actor = { accountId, kind: 'session', credentialId: id } as const;
  await audit(db, actor, {
    action: 'session.open',
    subject: id,
    detail: { address: session.address },
    createdAt,
  });
}
