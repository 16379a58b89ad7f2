import { GatewayError } from '../../base/errors.ts';
import { hashToken, newId, newToken } from '../../base/ids.ts';
import { type Db, deleteRows, insertRow } from '../../store/database/rows.ts';
import { type Account, findAccountByEmail } from '../../store/people/accounts.ts';
import { audit } from '../../store/people/audit-log.ts';
import type { StoredSession } from '../../store/people/sessions.ts';
import { ensureDefaultAgent } from '../account/default-agent.ts';
import { isStillPassword, provenHash } from '../passwords/check-password.ts';
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
  return (await openWith(people, accountId, client, null)).token;
}

/**
 * Opens a session and, if the person's password matched a hash, makes the browser known. Throws `invalid_login` when the
 * password changed during the check.
 */
async function openWith(
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
    for (const { id } of surplus) await deleteRows(trx, 'sessions', { id });
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
  await deleteRows(people.db, 'sessions', { id: sessionId });
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
  const { id, accountId } = session;
  await insertRow(db, 'sessions', session);
  const actor = { accountId, kind: 'session', credentialId: id } as const;
  await audit(db, actor, { action: 'session.open', subject: id, detail: { address: session.address } });
}

/** The account that was signed in, and the browser's tokens. */
export interface SignedIn extends OpenedSession {
  readonly account: Account;
}

/**
 * Signs in with an address (in lower case) and a password, and ends the browser's previous session. Unknown addresses
 * and wrong passwords take the same time. Throws `invalid_login` or TooManyAttempts.
 */
export async function signIn(
  people: People,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
  formerToken: string | null,
): Promise<SignedIn> {
  const account = await findAccountByEmail(people.db, email);
  const hash = await provenHash(people, { account, subject: email, password, isSignedIn: false }, client);
  if (!account || hash === null) throw new GatewayError('invalid_login');
  const opened = await openWith(people, account.id, client, hash);
  const former = formerToken === null ? null : people.sessions.use(formerToken);
  if (former) await closeSession(people, former.id);
  return { account, ...opened };
}
