import { sql } from 'kysely';
import type { Db, Row } from '../database/rows.ts';
import type { SpaceKind } from '../messages/message-tables.ts';

/** A platform login without its credentials. */
export type StoredConnection = Omit<Row<'connections'>, 'sealedCredentials' | 'spaceKind'>;

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
