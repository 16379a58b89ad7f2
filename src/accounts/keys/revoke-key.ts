import { GatewayError } from '../../base/errors.ts';
import type { KeyKind } from '../../store/keys/key-tables.ts';
import { findKey, revokeKey } from '../../store/keys/keys.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { KeyDomain } from './issue-key.ts';

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
    await audit(trx, actor, {
      action: 'key.revoke',
      subject: keyId,
      detail: { kind, name: key.name },
      createdAt: nowIso,
    });
  });
  await keys.refresh(actor.accountId);
}
