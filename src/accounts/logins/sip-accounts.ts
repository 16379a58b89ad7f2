import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/time.ts';
import type { SipDirectory } from '../../connectors/contract/sip-accounts.ts';
import type { Db } from '../../store/database/rows.ts';
import { listRoutedDids, type RoutedDid } from '../../store/logins/sip-dids.ts';
import { fillInboundTokens, listTrunks, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import { firstAccount } from '../../store/people/accounts.ts';
import type { Store } from '../../store/store.ts';
import type { TrunkChanges } from '../account/account-quotas.ts';

const INBOUND_TOKEN_BYTES = 16;

/** Where trunks and numbers are kept: permanently in the store, and in the connector's directory while it runs. */
export interface SipAccounts {
  readonly store: Store;
  readonly directory: SipDirectory;
  readonly clock: Clock;
}

/** SipAccounts with the limits on an account's setup. */
export interface SipSetup extends SipAccounts {
  readonly trunkChanges: TrunkChanges;
  /** Limit of numbers per account. */
  readonly maxNumbers: number;
}

/** Loads all stored trunks and numbers into the connector. Runs once at start. */
export async function loadSipAccounts(sip: SipAccounts): Promise<void> {
  const { store, directory } = sip;
  await fillInboundTokens(store.db, store.secrets, newInboundToken);
  for (const trunk of await listTrunks(store.db, store.secrets)) await notifyTrunkChanged(sip, trunk);
  for (const did of await listRoutedDids(store.db)) notifyNumberChanged(directory, did);
}

/** Returns a new token that identifies a trunk in its inbound URI. */
export function newInboundToken(): string {
  return randomBytes(INBOUND_TOKEN_BYTES).toString('hex');
}

export async function notifyTrunkChanged(
  { store, directory }: SipAccounts,
  trunk: StoredTrunk,
): Promise<void> {
  directory.putTrunk({ ...trunk, ofOperator: await isOperatorsAccount(store.db, trunk.accountId) });
}

/** Updates an account's numbers in the connector, after they may have moved to other agents. */
export async function notifyNumbersChanged(
  { store, directory }: SipAccounts,
  accountId: string,
): Promise<void> {
  for (const did of await listRoutedDids(store.db, accountId)) notifyNumberChanged(directory, did);
}

export function notifyNumberChanged(directory: SipDirectory, did: RoutedDid): void {
  const { id, accountId, agentId, number, autoAnswer, presets } = did;
  directory.putNumber({ didId: id, accountId, agentId, number, autoAnswer, presets });
}

/**
 * Whether the account is the operator's: the first one ever created, which is accessed with keys only. An account with
 * a password or an address never is, even when it has become the oldest.
 */
export async function isOperatorsAccount(db: Db, accountId: string): Promise<boolean> {
  const first = await firstAccount(db);
  return first?.id === accountId && first.email === null && first.passwordHash === null;
}
