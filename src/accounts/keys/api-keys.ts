import { newId } from '../../base/ids.ts';
import { hashToken } from '../../base/tokens.ts';
import { attachKey } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import type { KeyKind } from '../../store/keys/key-tables.ts';
import { type ApiKey, insertKey } from '../../store/keys/keys.ts';

/** `svc_` and eight characters: enough to tell keys apart, too few to help guess one. */
const PREFIX_LENGTH = 12;

export interface KeyOwner {
  readonly accountId: string;
  readonly kind: KeyKind;
  readonly name: string;
  /** Agents that an agent key acts for; empty for a settings key. */
  readonly agentIds: readonly string[];
}

/** Stores a key as its hash. The key itself is not stored. */
export async function storeKey(db: Db, key: string, owner: KeyOwner, nowIso: string): Promise<ApiKey> {
  const record: ApiKey = {
    id: newId('key'),
    accountId: owner.accountId,
    kind: owner.kind,
    hash: hashToken(key),
    keyPrefix: key.slice(0, PREFIX_LENGTH),
    name: owner.name,
    createdAt: nowIso,
    lastUsedAt: null,
    revokedAt: null,
  };
  await insertKey(db, record);
  for (const agentId of owner.agentIds) await attachKey(db, agentId, record.id);
  return record;
}
