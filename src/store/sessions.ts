import type { Selectable } from 'kysely';
import type { Db, SessionsTable } from './tables.ts';

export type StoredSession = Selectable<SessionsTable>;

export async function insertSession(db: Db, session: StoredSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** Every session that has not expired at `nowIso`. */
export async function listSessions(db: Db, nowIso: string): Promise<StoredSession[]> {
  return await db.selectFrom('sessions').selectAll().where('expiresAt', '>', nowIso).execute();
}

export async function touchSession(
  db: Db,
  sessionId: string,
  used: Pick<StoredSession, 'lastUsedAt' | 'expiresAt'>,
): Promise<void> {
  await db.updateTable('sessions').set(used).where('id', '=', sessionId).execute();
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

export async function deleteSessionsOf(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('sessions').where('accountId', '=', accountId).execute();
}

export async function deleteExpiredSessions(db: Db, nowIso: string): Promise<void> {
  await db.deleteFrom('sessions').where('expiresAt', '<=', nowIso).execute();
}
