import type { Selectable } from 'kysely';
import type { ConnectionsTable, Db } from './tables.ts';

/** A login at a platform as it may be shown. */
export type StoredConnection = Omit<Selectable<ConnectionsTable>, 'sealedCredentials'>;

const SHOWN = ['id', 'accountId', 'provider', 'email', 'label', 'status', 'createdAt', 'updatedAt'] as const;

/** Undefined: the account has no such connection. */
export async function deleteConnection(
  db: Db,
  accountId: string,
  connectionId: string,
): Promise<StoredConnection | undefined> {
  return await db
    .deleteFrom('connections')
    .where('accountId', '=', accountId)
    .where('id', '=', connectionId)
    .returning(SHOWN)
    .executeTakeFirst();
}
