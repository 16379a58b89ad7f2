import { storeKey } from '../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../src/accounts/keys/key-cache.ts';
import type { Authenticate, Principal } from '../../../src/api/auth/principal.ts';
import { changeRows } from '../../../src/store/database/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { TurnableClock } from '../../support/turnable-clock.ts';
import { NOW, seedAccount, seedSession } from '../store/temporary.ts';

/**
 * Stores two people, with a verified address, a session and a settings key each: `ses_acc_ann`, `svc_acc_ann_settings`.
 * Returns what tells them apart.
 */
export async function annAndBob(store: Store): Promise<Authenticate> {
  for (const name of ['ann', 'bob']) {
    const { accountId } = await seedAccount(store, name);
    await changeRows(
      store.db,
      'accounts',
      { id: accountId },
      {
        email: `${name}@example.com`,
        emailVerifiedAt: NOW,
        ownerProvenAt: NOW,
      },
    );
    await seedSession(store, accountId);
    const key = { accountId, kind: 'settings' as const, name: 'settings key', agentIds: [] };
    await storeKey(store.db, `svc_${accountId}_settings`, key, NOW);
  }
  const keys = await KeyCache.load(store.db, new TurnableClock(), () => undefined);
  return (credential) => sessionNamed(credential) ?? keyNamed(keys, credential);
}

/** The session in a `Cookie` header. */
export function sessionOf(cookies: string): Principal | null {
  return sessionNamed(/svc_session=([^;]+)/.exec(cookies)?.[1] ?? null);
}

function sessionNamed(credential: string | null): Principal | null {
  const accountId = /^ses_(acc_\w+)$/.exec(credential ?? '')?.[1];
  if (accountId === undefined) return null;
  return { kind: 'session', accountId, credentialId: `ses_${accountId}`, agentIds: [], platforms: null };
}

function keyNamed(keys: KeyCache, credential: string | null): Principal | null {
  const key = credential === null ? null : keys.use(credential);
  if (!key) return null;
  const { accountId, id: credentialId, kind, agentIds } = key;
  return { accountId, credentialId, kind, agentIds, platforms: null };
}
