import type { Db, Row } from '../database/rows.ts';

export type MailToken = Row<'mailTokens'>;

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
