import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { InviteLinksTable } from './people-tables.ts';

export type InviteLink = Selectable<InviteLinksTable>;

/** Sets the account's invite link and invalidates the former one. */
export async function putInviteLink(db: Db, link: InviteLink): Promise<void> {
  const { accountId: _accountId, ...changed } = link;
  await db
    .insertInto('inviteLinks')
    .values(link)
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(changed))
    .execute();
}

/** Uses up the link with this token. Undefined: there is no valid one. */
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
