import type { Clock } from '../base/time.ts';
import type { SipDirectory } from '../connectors/contract/sip-accounts.ts';
import { listRoutedDids, type RoutedDid } from '../store/sip-dids.ts';
import { listTrunks } from '../store/sip-trunks.ts';
import type { Store } from '../store/store.ts';

/** Where trunks and numbers live: stored for good, and known to the connector while it runs. */
export interface SipAccounts {
  readonly store: Store;
  readonly directory: SipDirectory;
  readonly clock: Clock;
}

/** Tells the connector everything that is stored; once, at start. */
export async function loadSipAccounts({ store, directory }: SipAccounts): Promise<void> {
  for (const trunk of await listTrunks(store.db, store.secrets)) directory.putTrunk(trunk);
  for (const did of await listRoutedDids(store.db)) tellNumber(directory, did);
}

/** Tells the connector an account's numbers again, after they may have gone to other agents. */
export async function tellNumbers({ store, directory }: SipAccounts, accountId: string): Promise<void> {
  for (const did of await listRoutedDids(store.db, accountId)) tellNumber(directory, did);
}

export function tellNumber(directory: SipDirectory, did: RoutedDid): void {
  const { id, accountId, agentId, number, autoAnswer } = did;
  directory.putNumber({ didId: id, accountId, agentId, number, autoAnswer });
}
