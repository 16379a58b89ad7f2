import type { Selectable } from 'kysely';
import type { ApiKeysTable, Db } from './tables.ts';

export type ApiKey = Selectable<ApiKeysTable>;

/** A key that still opens doors, with the agents it acts for. */
export interface ValidKey extends ApiKey {
  readonly agentIds: readonly string[];
}

export async function insertKey(db: Db, key: ApiKey): Promise<void> {
  await db.insertInto('apiKeys').values(key).execute();
}

export async function findKeyByHash(db: Db, hash: string): Promise<ApiKey | undefined> {
  return await db.selectFrom('apiKeys').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export async function listValidKeys(db: Db): Promise<ValidKey[]> {
  const rows = await db
    .selectFrom('apiKeys')
    .leftJoin('agentKeys', 'agentKeys.keyId', 'apiKeys.id')
    .selectAll('apiKeys')
    .select('agentKeys.agentId')
    .where('revokedAt', 'is', null)
    .execute();
  return [...Map.groupBy(rows, (row) => row.id).values()].map((sameKey) => {
    const { agentId: _first, ...key } = sameKey[0]!;
    return { ...key, agentIds: sameKey.map((row) => row.agentId).filter((id) => id !== null) };
  });
}

export async function touchKey(db: Db, keyId: string, usedAt: string): Promise<void> {
  await db.updateTable('apiKeys').set({ lastUsedAt: usedAt }).where('id', '=', keyId).execute();
}

/** The first revocation stands. */
export async function revokeKey(db: Db, keyId: string, revokedAt: string): Promise<void> {
  await db
    .updateTable('apiKeys')
    .set({ revokedAt })
    .where('id', '=', keyId)
    .where('revokedAt', 'is', null)
    .execute();
}
