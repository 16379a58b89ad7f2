import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { ConnectionsTable } from './login-tables.ts';

/** A platform login without its credentials. */
export type StoredConnection = Omit<Selectable<ConnectionsTable>, 'sealedCredentials'>;

const SHOWN = [
  'id',
  'accountId',
  'provider',
  'email',
  'label',
  'status',
  'loginKey',
  'remoteId',
  'createdAt',
  'updatedAt',
] as const;

export async function insertConnection(
  db: Db,
  connection: StoredConnection,
  sealedCredentials: string,
): Promise<void> {
  await db
    .insertInto('connections')
    .values({ ...connection, sealedCredentials })
    .execute();
}

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

/**
 * Returns the account that owns a connection which is a login itself. Undefined: the platform has no such connection,
 * or it links a person to another login.
 */
export async function findConnectionOwner(
  db: Db,
  provider: string,
  connectionId: string,
): Promise<string | undefined> {
  const connection = await db
    .selectFrom('connections')
    .select('accountId')
    .where('id', '=', connectionId)
    .where('provider', '=', provider)
    .where('loginKey', 'is', null)
    .executeTakeFirst();
  return connection?.accountId;
}

/** A person on a platform, as seen by one of the gateway's own logins there. */
export interface BoundRemote {
  readonly provider: string;
  readonly loginKey: string;
  /** The person's permanent id and possibly an alias. */
  readonly remoteIds: readonly string[];
}

/**
 * Returns a person's connections to accounts over a shared login, most recently used first. Use means binding, or a
 * message in either direction.
 */
export async function connectionsOfRemote(
  db: Db,
  { provider, loginKey, remoteIds }: BoundRemote,
): Promise<StoredConnection[]> {
  const lastUsed = sql<string>`max(connections.updated_at, coalesce(max(messages.created_at), ''))`;
  return await db
    .selectFrom('connections')
    .leftJoin('conversations', (join) =>
      join
        .on('conversations.memberType', '=', 'connection')
        .onRef('conversations.memberId', '=', 'connections.id'),
    )
    .leftJoin('messages', 'messages.seq', 'conversations.lastSeq')
    .select(SHOWN.map((column) => `connections.${column}` as const))
    .where('connections.provider', '=', provider)
    .where('connections.loginKey', '=', loginKey)
    .where('connections.remoteId', 'in', remoteIds)
    .groupBy('connections.id')
    .orderBy(lastUsed, 'desc')
    .orderBy('connections.updatedAt', 'desc')
    .orderBy('connections.id')
    .execute();
}

/** Updates the fields of a connection that follow the person behind it. */
export async function updateConnection(
  db: Db,
  connectionId: string,
  change: Partial<Pick<StoredConnection, 'label' | 'status' | 'remoteId' | 'updatedAt'>>,
): Promise<void> {
  await db.updateTable('connections').set(change).where('id', '=', connectionId).execute();
}
