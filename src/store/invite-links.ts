import type { Selectable } from 'kysely';
import type { Db, InviteLinksTable } from './tables.ts';

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
