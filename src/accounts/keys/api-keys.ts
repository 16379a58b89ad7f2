import { GatewayError } from '../../base/errors.ts';
import { hashToken, newApiKey, newId } from '../../base/ids.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import { type Db, insertNewRow, insertRow } from '../../store/database/rows.ts';
import type { KeyKind } from '../../store/keys/key-tables.ts';
import { type ApiKey, findKey, revokeKey, type ValidKey } from '../../store/keys/keys.ts';
import { countKeys } from '../../store/people/account-counts.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { Store } from '../../store/store.ts';
import { assertBelow, CAPS } from '../account/caps.ts';
import { ensureDefaultAgent } from '../account/default-agent.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { KeyCache } from './key-cache.ts';

/** `svc_` and eight characters: enough to tell keys apart, too few to help guess one. */
const PREFIX_LENGTH = 12;
/** How long a revoked key counts towards the limit. */
const DAY_MS = 86_400_000;

export interface NewKey {
  readonly kind: KeyKind;
  readonly name: string;
  /** Agents that an agent key acts for; empty for a settings key. */
  readonly agentIds: readonly string[];
}

/** Stores a key as its hash. The key itself is not stored. */
export async function storeKey(
  db: Db,
  key: string,
  { agentIds, ...owner }: NewKey & { readonly accountId: string },
  nowIso: string,
): Promise<ApiKey> {
  const record: ApiKey = {
    ...owner,
    id: newId('key'),
    hash: hashToken(key),
    keyPrefix: key.slice(0, PREFIX_LENGTH),
    createdAt: nowIso,
    lastUsedAt: null,
    revokedAt: null,
  };
  await insertRow(db, 'apiKeys', record);
  for (const agentId of agentIds) await insertNewRow(db, 'agentKeys', { agentId, keyId: record.id });
  return record;
}

/** Dependencies of the operations on keys. Keys are stored as hashes, and cached in memory for authentication. */
export interface KeyDomain {
  readonly store: Store;
  readonly keys: KeyCache;
  readonly clock: Clock;
}

/** A new key with its text, which is only known now. */
export interface IssuedKey extends ValidKey {
  readonly key: string;
}

/**
 * Creates a key within a transaction. The caller must refresh the key cache afterwards. Throws `email_not_verified`,
 * `cap_reached`.
 */
export async function issueKey(db: Db, actor: Actor, wanted: NewKey, nowIso: string): Promise<IssuedKey> {
  await requireVerifiedAddress(db, actor.accountId);
  const count = await countKeys(db, actor.accountId, isoAfter(nowIso, -DAY_MS));
  assertBelow(CAPS.keys, count, 'keys, including those created and revoked within a day');
  const key = newApiKey();
  const record = await storeKey(db, key, { ...wanted, accountId: actor.accountId }, nowIso);
  const { kind, name, agentIds } = wanted;
  await audit(db, actor, { action: 'key.create', subject: record.id, detail: { kind, name, agentIds } });
  return { ...record, agentIds, isInternal: false, key };
}

/** Creates an agent key in the default agent, or a settings key. Throws `email_not_verified`, `cap_reached`. */
export async function createKey(
  { store, keys, clock }: KeyDomain,
  actor: Actor,
  kind: KeyKind,
  name: string,
): Promise<IssuedKey> {
  const nowIso = clock.nowIso();
  const issued = await store.db.transaction().execute(async (trx) => {
    const agent = await ensureDefaultAgent(trx, actor.accountId, nowIso);
    return await issueKey(trx, actor, { kind, name, agentIds: kind === 'agent' ? [agent.id] : [] }, nowIso);
  });
  await keys.refresh(actor.accountId);
  return issued;
}

/**
 * Revokes a key and removes it from all agents. When this resolves, the key is invalid and its connections are closed.
 * Throws `key_not_found`.
 */
export async function revokeIssuedKey(
  { store, keys, clock }: KeyDomain,
  actor: Actor,
  kind: KeyKind,
  keyId: string,
): Promise<void> {
  const nowIso = clock.nowIso();
  await store.db.transaction().execute(async (trx) => {
    const key = await findKey(trx, actor.accountId, kind, keyId);
    if (!key) throw new GatewayError('key_not_found');
    await revokeKey(trx, keyId, nowIso);
    await audit(trx, actor, { action: 'key.revoke', subject: keyId, detail: { kind, name: key.name } });
  });
  await keys.refresh(actor.accountId);
}
