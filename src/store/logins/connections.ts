import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SpaceKind } from '../messages/message-tables.ts';
import type { ConnectionsTable } from './login-tables.ts';

/** A platform login without its credentials. */
export type StoredConnection = Omit<Selectable<ConnectionsTable>, 'sealedCredentials' | 'spaceKind'>;

/** The columns of connections by OAuth. */
type Granted = 'providerUserId' | 'scopes' | 'expiresAt';
type NewConnection = Omit<StoredConnection, Granted> & Partial<Pick<StoredConnection, Granted>>;

/** The columns of a StoredConnection. */
export const SHOWN = [
  'id',
  'accountId',
  'provider',
  'email',
  'label',
  'status',
  'loginKey',
  'remoteId',
  'providerUserId',
  'scopes',
  'expiresAt',
  'createdAt',
  'updatedAt',
] as const;

export async function insertConnection(
  db: Db,
  connection: NewConnection & Partial<Pick<Selectable<ConnectionsTable>, 'spaceKind'>>,
  sealedCredentials: string,
): Promise<void> {
  await db
    .insertInto('connections')
    .values({ ...connection, sealedCredentials })
    .execute();
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

/** A person or channel on a platform, as seen by the login that links them to accounts. */
export interface BoundRemote {
  readonly provider: string;
  readonly loginKey: string;
  readonly spaceKind: SpaceKind;
  /** The permanent id, and possibly a person's alias. */
  readonly remoteIds: readonly string[];
}

/**
 * Returns the connections of a person or channel to accounts over a shared login, most recently used first. Use means
 * binding, or a message in either direction.
 */
export async function connectionsOfRemote(
  db: Db,
  { provider, loginKey, spaceKind, remoteIds }: BoundRemote,
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
    .where('connections.spaceKind', '=', spaceKind)
    .groupBy('connections.id')
    .orderBy(lastUsed, 'desc')
    .orderBy('connections.updatedAt', 'desc')
    .orderBy('connections.id')
    .execute();
}

/** Returns the platform's ids of the people whom a login links to an account, those linked last first. */
export async function linkedPeople(
  db: Db,
  { provider, loginKey, accountId }: Pick<StoredConnection, 'provider' | 'loginKey' | 'accountId'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('remoteId')
    .where('provider', '=', provider)
    .where('loginKey', '=', loginKey)
    .where('accountId', '=', accountId)
    .where('spaceKind', '=', 'direct')
    .orderBy('updatedAt', 'desc')
    .execute();
  return rows.flatMap(({ remoteId }) => remoteId ?? []);
}

/** Updates the fields of a connection that follow the person or channel behind it. */
export async function updateConnection(
  db: Db,
  connectionId: string,
  change: Partial<Pick<StoredConnection, 'label' | 'status' | 'remoteId' | 'updatedAt'>>,
): Promise<void> {
  await db.updateTable('connections').set(change).where('id', '=', connectionId).execute();
}
