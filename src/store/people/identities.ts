import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { IdentitiesTable } from './people-tables.ts';

export type Identity = Selectable<IdentitiesTable>;

/** Throws when the identity is already linked to an account. */
export async function insertIdentity(db: Db, identity: Identity): Promise<void> {
  await db.insertInto('identities').values(identity).execute();
}

export async function findIdentity(db: Db, provider: string, subject: string): Promise<Identity | undefined> {
  return await db
    .selectFrom('identities')
    .selectAll()
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Returns the account's identities, oldest first. */
export async function listIdentities(db: Db, accountId: string): Promise<Identity[]> {
  return await db
    .selectFrom('identities')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Records a use and the address that the provider currently reports. */
export async function touchIdentity(
  db: Db,
  identityId: string,
  { email, lastUsedAt }: Pick<Identity, 'email' | 'lastUsedAt'>,
): Promise<void> {
  await db.updateTable('identities').set({ email, lastUsedAt }).where('id', '=', identityId).execute();
}

/** Undefined: the account has no such identity. */
export async function deleteIdentity(
  db: Db,
  accountId: string,
  identityId: string,
): Promise<Identity | undefined> {
  return await db
    .deleteFrom('identities')
    .where('accountId', '=', accountId)
    .where('id', '=', identityId)
    .returningAll()
    .executeTakeFirst();
}
