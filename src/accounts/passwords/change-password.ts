import { GatewayError } from '../../base/errors.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import { hasSession } from '../../store/people/sessions.ts';
import { notifyEmailChangeVoided, notifyPasswordChanged } from '../mail/notices.ts';
import { endUnderWay, followEnd } from '../people/owners.ts';
import type { Client, People } from '../people/people.ts';
import { newSession, type OpenedSession, storeSession } from '../sessions/sessions.ts';
import { MAIL_COST } from './attempt-limits.ts';
import { checkPassword, isStillPassword } from './check-password.ts';
import { personOf } from './hashing-shares.ts';
import { rememberBrowser } from './known-browsers.ts';

/**
 * Sets a new password, given the current one. Ends all sessions, links and codes, and returns a new session that
 * replaces the current one. Throws `wrong_password` or TooManyAttempts.
 */
export async function changePassword(
  people: People,
  actor: Actor,
  passwords: { readonly current: string; readonly wanted: string },
  client: Client,
): Promise<OpenedSession> {
  const { accountId } = actor;
  const currentHash = await checkPassword(people, accountId, passwords.current, client);
  limitChanges(people, accountId, client);
  const passwordHash = await people.hasher.hash(passwords.wanted, personOf(accountId));
  const { token, session } = newSession(accountId, client, people.clock.nowIso());
  const kept = { sessionId: session.id, linkHash: '' };
  const { ended, browserToken } = await people.db.transaction().execute(async (trx) => {
    await requireStill(trx, actor, currentHash);
    await changeRows(trx, 'accounts', { id: accountId }, { passwordHash });
    const under = await endUnderWay(trx, accountId, session.createdAt, kept);
    const { address } = client;
    await audit(trx, actor, { action: 'account.change_password', detail: { address } });
    await storeSession(trx, session);
    return { ended: under, browserToken: await rememberBrowser(trx, accountId, null, session.createdAt) };
  });
  people.sessions.add(session);
  await followEnd(people, accountId, ended, kept);
  notifyPasswordChanged(people, accountId);
  notifyEmailChangeVoided(people, ended.links);
  return { token, browserToken };
}

/**
 * Limits changes of password and address. Each one voids mail links, including reset links, so a thief who knows the
 * password could keep the owner out by repeating it. Throws TooManyAttempts.
 */
export function limitChanges({ limits }: People, accountId: string, { address }: Client): void {
  limits.attempt(address, `change ${accountId}`, MAIL_COST);
}

/**
 * Throws `unauthorized` or `wrong_password` when the session or the password ended while the password was being
 * checked. Otherwise a thief's change could undo the owner's.
 */
export async function requireStill(db: Db, { accountId, credentialId }: Actor, hash: string): Promise<void> {
  if (!(await hasSession(db, credentialId))) throw new GatewayError('unauthorized');
  if (!(await isStillPassword(db, accountId, hash))) throw new GatewayError('wrong_password');
}
