import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/time.ts';
import type { SipDirectory } from '../../connectors/contract/sip-accounts.ts';
import { listRoutedDids, type RoutedDid } from '../../store/logins/sip-dids.ts';
import { fillInboundTokens, listTrunks, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import type { Store } from '../../store/store.ts';
import { isOperatorsAccount } from '../people/operator-account.ts';
import type { TrunkChanges } from './trunk-changes.ts';

const INBOUND_TOKEN_BYTES = 16;

/** Where trunks and numbers live: stored for good, and known to the connector while it runs. */
export interface SipAccounts {
  readonly store: Store;
  readonly directory: SipDirectory;
  readonly clock: Clock;
}

/** The same, with what bounds how an account may set them up. */
export interface SipSetup extends SipAccounts {
  readonly trunkChanges: TrunkChanges;
  /** Numbers that an account may list. */
  readonly maxNumbers: number;
}

/** Tells the connector everything that is stored; once, at start. */
export async function loadSipAccounts(sip: SipAccounts): Promise<void> {
  const { store, directory } = sip;
  await fillInboundTokens(store.db, store.secrets, newInboundToken);
  for (const trunk of await listTrunks(store.db, store.secrets)) await tellTrunk(sip, trunk);
  for (const did of await listRoutedDids(store.db)) tellNumber(directory, did);
}

/** What names a trunk in the URI that rings its account. */
export function newInboundToken(): string {
  return randomBytes(INBOUND_TOKEN_BYTES).toString('hex');
}

export async function tellTrunk({ store, directory }: SipAccounts, trunk: StoredTrunk): Promise<void> {
  const ofOperator = await isOperatorsAccount(store.db, trunk.accountId);
  directory.putTrunk({ ...trunk, ofOperator });
}

/** Tells the connector an account's numbers again, after they may have gone to other agents. */
export async function tellNumbers({ store, directory }: SipAccounts, accountId: string): Promise<void> {
  for (const did of await listRoutedDids(store.db, accountId)) tellNumber(directory, did);
}

export function tellNumber(directory: SipDirectory, did: RoutedDid): void {
  const { id, accountId, agentId, number, autoAnswer } = did;
  directory.putNumber({ didId: id, accountId, agentId, number, autoAnswer });
}
