import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';

/** The key with which an agent's model calls back, in plain text. In memory only; never logged. */
export interface InternalBearer {
  readonly keyId: string;
  readonly key: string;
  readonly keyPrefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

export async function findInternalBearer(
  db: Db,
  secrets: SecretBox,
  agentId: string,
): Promise<InternalBearer | undefined> {
  const row = await db
    .selectFrom('internalBearers')
    .innerJoin('apiKeys', 'apiKeys.id', 'internalBearers.keyId')
    .select(['keyId', 'sealedKey', 'keyPrefix', 'createdAt', 'lastUsedAt'])
    .where('internalBearers.agentId', '=', agentId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { sealedKey, ...plain } = row;
  return { ...plain, key: secrets.open(sealedKey, keyPlace(agentId)) };
}

/** Adds or replaces the agent's bearer. Its key must already be stored. */
export async function putInternalBearer(
  db: Db,
  secrets: SecretBox,
  agentId: string,
  { keyId, key }: Pick<InternalBearer, 'keyId' | 'key'>,
): Promise<void> {
  const changed = { keyId, sealedKey: secrets.seal(key, keyPlace(agentId)) };
  await db
    .insertInto('internalBearers')
    .values({ agentId, ...changed })
    .onConflict((conflict) => conflict.column('agentId').doUpdateSet(changed))
    .execute();
}

/** Deletes the bearer's key, and the bearer with it. */
export async function deleteInternalBearer(db: Db, agentId: string): Promise<void> {
  await db
    .deleteFrom('apiKeys')
    .where('id', 'in', (query) =>
      query.selectFrom('internalBearers').select('keyId').where('agentId', '=', agentId),
    )
    .execute();
}

function keyPlace(agentId: string): SecretPlace {
  return { table: 'internal_bearers', column: 'sealed_key', row: agentId };
}
