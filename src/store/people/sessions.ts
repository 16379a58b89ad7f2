import { type Db, findRow, type Row } from '../database/rows.ts';

export type StoredSession = Row<'sessions'>;

/** Returns the sessions of one account, or of all, that have not expired at `nowIso`. */
export async function listSessions(db: Db, nowIso: string, accountId?: string): Promise<StoredSession[]> {
  const all = db.selectFrom('sessions').selectAll().where('expiresAt', '>', nowIso);
  return await (accountId === undefined ? all : all.where('accountId', '=', accountId)).execute();
}

/** Returns whether a session still exists. It may have ended while a request was in progress. */
export async function hasSession(db: Db, sessionId: string): Promise<boolean> {
  return (await findRow(db, 'sessions', { id: sessionId })) !== undefined;
}

/** Ends the account's sessions except `exceptId`; null: all of them. */
export async function deleteSessionsOf(db: Db, accountId: string, exceptId: string | null): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('accountId', '=', accountId)
    .where('id', '!=', exceptId ?? '')
    .execute();
}
