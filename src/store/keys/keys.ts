import { sql } from 'kysely';
import { DEFAULT_AGENT_FIRST, withAgentIds } from '../agents/agents.ts';
import { deleteSome } from '../database/delete-some.ts';
import { changeRows, type Db, deleteRows, type Row } from '../database/rows.ts';
import type { KeyKind } from './key-tables.ts';

export type ApiKey = Row<'apiKeys'>;

/** A valid key with the agents it acts for. */
export interface ValidKey extends ApiKey {
  readonly agentIds: readonly string[];
  /** An agent's internal bearer. */
  readonly isInternal: boolean;
}

/** Returns all valid keys, including internal bearers, of one account or of all. */
export async function listValidKeys(db: Db, accountId?: string): Promise<ValidKey[]> {
  const keys = validKeys(db);
  const rows = await (accountId === undefined
    ? keys
    : keys.where('apiKeys.accountId', '=', accountId)
  ).execute();
  return keysIn(rows);
}

/** Returns an account's valid keys of one kind, oldest first. Internal bearers are left out. */
export async function listKeys(db: Db, accountId: string, kind: KeyKind): Promise<ValidKey[]> {
  return keysIn(await madeKeys(db, accountId, kind).execute());
}

/** Returns a valid key of one kind. Undefined for any other id and for internal bearers. */
export async function findKey(
  db: Db,
  accountId: string,
  kind: KeyKind,
  keyId: string,
): Promise<ValidKey | undefined> {
  return keysIn(await madeKeys(db, accountId, kind).where('apiKeys.id', '=', keyId).execute())[0];
}

/** Internal bearers are managed by the gateway and cannot be attached, detached or revoked as keys. */
function madeKeys(db: Db, accountId: string, kind: KeyKind) {
  return validKeys(db)
    .where('internalBearers.keyId', 'is', null)
    .where('apiKeys.accountId', '=', accountId)
    .where('apiKeys.kind', '=', kind);
}

/** One row per agent of a key, the default agent first. */
function validKeys(db: Db) {
  return db
    .selectFrom('apiKeys')
    .leftJoin('agentKeys', 'agentKeys.keyId', 'apiKeys.id')
    .leftJoin('agents', 'agents.id', 'agentKeys.agentId')
    .leftJoin('internalBearers', 'internalBearers.keyId', 'apiKeys.id')
    .selectAll('apiKeys')
    .select(['agents.id as agentId', 'internalBearers.agentId as bearerOf'])
    .where('apiKeys.revokedAt', 'is', null)
    .orderBy('apiKeys.createdAt')
    .orderBy('apiKeys.id')
    .orderBy(DEFAULT_AGENT_FIRST);
}

type KeyRow = ApiKey & { readonly agentId: string | null; readonly bearerOf: string | null };

function keysIn(rows: readonly KeyRow[]): ValidKey[] {
  return withAgentIds(rows).map(({ bearerOf, ...key }) => ({ ...key, isInternal: bearerOf !== null }));
}

/** Revokes a key and removes it from its agents. A repeated call keeps the first time. Call it in a transaction. */
export async function revokeKey(db: Db, keyId: string, revokedAt: string): Promise<void> {
  await changeRows(db, 'apiKeys', { id: keyId, revokedAt: null }, { revokedAt });
  await deleteRows(db, 'agentKeys', { keyId });
}

/** Deletes up to `limit` keys that were revoked before a time. Returns their number. */
export async function deleteRevokedKeys(db: Db, before: string, limit: number): Promise<number> {
  return await deleteSome(db, 'api_keys', sql`revoked_at < ${before}`, limit);
}
