import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { MailPurpose, MailTokensTable } from './people-tables.ts';

export type MailToken = Selectable<MailTokensTable>;

export async function insertMailToken(db: Db, token: MailToken): Promise<void> {
  await db.insertInto('mailTokens').values(token).execute();
}

/** Undefined: there is no such link, or it has expired. */
export async function findMailToken(
  db: Db,
  purpose: MailPurpose,
  tokenHash: string,
  nowIso: string,
): Promise<MailToken | undefined> {
  return await db
    .selectFrom('mailTokens')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', nowIso)
    .executeTakeFirst();
}

/** Invalidates all of the account's mail links but one. Returns those that had not expired. */
export async function voidMailTokens(
  db: Db,
  accountId: string,
  nowIso: string,
  exceptHash = '',
): Promise<readonly MailToken[]> {
  const voided = await db
    .deleteFrom('mailTokens')
    .where('accountId', '=', accountId)
    .where('tokenHash', '!=', exceptHash)
    .returningAll()
    .execute();
  return voided.filter(({ expiresAt }) => expiresAt > nowIso);
}

export async function deleteExpiredMailTokens(db: Db, nowIso: string): Promise<void> {
  await db.deleteFrom('mailTokens').where('expiresAt', '<=', nowIso).execute();
}
