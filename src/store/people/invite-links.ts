import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { InviteLinksTable } from './people-tables.ts';

export type InviteLink = Selectable<InviteLinksTable>;

/** Makes this the account's one link: the former opens nothing any more. */
export async function putInviteLink(db: Db, link: InviteLink): Promise<void> {
  const { accountId: _accountId, ...changed } = link;
  await db
    .insertInto('inviteLinks')
    .values(link)
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(changed))
    .execute();
}

/** Uses up the link with this token; undefined: there is none that is still valid. */
export async function takeInviteLink(
  db: Db,
  tokenHash: string,
  nowIso: string,
): Promise<InviteLink | undefined> {
  return await db
    .deleteFrom('inviteLinks')
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', nowIso)
    .returningAll()
    .executeTakeFirst();
}
