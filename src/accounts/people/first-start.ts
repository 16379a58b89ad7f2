import { hashToken, newApiKey, newId } from '../../base/ids.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { KeyKind } from '../../store/keys/key-tables.ts';
import { firstAccount, insertAccount } from '../../store/people/accounts.ts';
import { ensureDefaultAgent } from '../account/default-agent.ts';
import { storeKey } from '../keys/api-keys.ts';

/** Keys that the operator set in the settings; null: none. */
export interface BootstrapKeys {
  readonly agentKey: string | null;
  readonly settingsKey: string | null;
}

/** The outcome of a start for one of the operator's two keys. */
export type KeyOutcome =
  /** Just created: its text is only known now. */
  | { readonly state: 'made'; readonly key: string }
  /** Set by the operator, and valid. */
  | { readonly state: 'given' }
  /** Set by the operator, but revoked earlier. A restart does not undo that. */
  | { readonly state: 'revoked' }
  /** Not the first start, and no key was set. Earlier keys are unchanged. */
  | { readonly state: 'kept' };

export interface OperatorKeys {
  readonly accountId: string;
  readonly agentKey: KeyOutcome;
  readonly settingsKey: KeyOutcome;
}

/**
 * Makes sure that the operator has access. On an empty database, creates an account with a default agent, an agent key
 * and a settings key. On any start, stores the keys that the operator set. Runs in one transaction; running it again
 * changes nothing.
 */
export async function ensureOperator(
  db: Db,
  bootstrap: BootstrapKeys,
  nowIso: string,
): Promise<OperatorKeys> {
  return await db.transaction().execute(async (trx) => {
    const known = await firstAccount(trx);
    const accountId = known?.id ?? newId('acc');
    if (!known) await insertAccount(trx, { id: accountId, name: 'Operator', createdAt: nowIso });
    const agent = await ensureDefaultAgent(trx, accountId, nowIso);
    const ensure = (kind: KeyKind, chosen: string | null) =>
      chosen === null && known
        ? ({ state: 'kept' } as const)
        : ensureKey(trx, { accountId, agentId: agent.id, kind, chosen, nowIso });
    return {
      accountId,
      agentKey: await ensure('agent', bootstrap.agentKey),
      settingsKey: await ensure('settings', bootstrap.settingsKey),
    };
  });
}

interface WantedKey {
  readonly accountId: string;
  readonly agentId: string;
  readonly kind: KeyKind;
  readonly chosen: string | null;
  readonly nowIso: string;
}

async function ensureKey(db: Db, wanted: WantedKey): Promise<KeyOutcome> {
  const { kind, chosen } = wanted;
  if (chosen !== null) {
    const known = await findRow(db, 'apiKeys', { hash: hashToken(chosen) });
    if (known && known.kind !== kind) {
      throw new Error(
        `the key given as the ${kind} key is stored as the ${known.kind} key ${known.keyPrefix}…`,
      );
    }
    if (known) return { state: known.revokedAt === null ? 'given' : 'revoked' };
  }
  const key = chosen ?? newApiKey();
  const owner = {
    accountId: wanted.accountId,
    kind,
    name: chosen === null ? `First ${kind} key` : `Bootstrap ${kind} key`,
    agentIds: kind === 'agent' ? [wanted.agentId] : [],
  };
  await storeKey(db, key, owner, wanted.nowIso);
  return chosen === null ? { state: 'made', key } : { state: 'given' };
}
