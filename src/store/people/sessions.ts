import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SessionsTable } from './people-tables.ts';

export type StoredSession = Selectable<SessionsTable>;

export async function insertSession(db: Db, session: StoredSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** Returns all sessions that have not expired at `nowIso`. */
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

/** Returns whether a session still exists. It may have ended while a request was in progress. */
export async function hasSession(db: Db, sessionId: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst();
  return row !== undefined;
}

/** Ends the account's sessions except `exceptId`; null: all of them. */
export async function deleteSessionsOf(db: Db, accountId: string, exceptId: string | null): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('accountId', '=', accountId)
    .where('id', '!=', exceptId ?? '')
    .execute();
}

export async function deleteExpiredSessions(db: Db, nowIso: string): Promise<void> {
  await db.deleteFrom('sessions').where('expiresAt', '<=', nowIso).execute();
}
