import { type Db, putRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

/** The key with which an agent's model calls back, in plain text. In memory only; never logged. */
export interface InternalBearer extends Pick<Row<'apiKeys'>, 'keyPrefix' | 'createdAt' | 'lastUsedAt'> {
  readonly keyId: string;
  readonly key: string;
}

const keyPlace = secretPlaces('internal_bearers', 'sealed_key');

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
  const sealedKey = secrets.seal(key, keyPlace(agentId));
  await putRow(db, 'internalBearers', { agentId, keyId, sealedKey }, { key: ['agentId'] });
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
