import { dnsAddresses } from '../base/find-addresses.ts';
import { publicOr } from '../base/public-address.ts';
import { storedBytes } from '../store/messages/files.ts';
import { FileDisk } from './file-disk.ts';
import type { FileDomain } from './file-domain.ts';
import { removeOrphans } from './orphans.ts';
import { StorageLedger, type StorageLimits } from './storage-ledger.ts';
import { Transfers } from './transfers.ts';
import { WebFiles } from './web-files.ts';

/** The limit per account leaves room for the uploads of others. */
const TRANSFER_LIMITS = { perOwner: 2_000, total: 4_000 };

export interface FileOptions {
  /** Directory for the bytes. */
  readonly dir: string;
  readonly limits: StorageLimits;
  /** Subnets and addresses that files may be fetched from although they are not public. */
  readonly trusted: readonly string[];
}

/** Opens the file storage and removes bytes without a record. Creates the directory if missing. */
export async function openFiles(
  { dir, limits, trusted }: FileOptions,
  others: Pick<
    FileDomain,
    'store' | 'clock' | 'readingTime' | 'maxBytes' | 'publicUrl' | 'fetcher' | 'count'
  >,
): Promise<FileDomain> {
  const disk = await FileDisk.open(dir);
  await removeOrphans({ ...others, disk });
  return {
    ...others,
    disk,
    ledger: new StorageLedger(limits, await storedBytes(others.store.db)),
    transfers: new Transfers(others.clock, TRANSFER_LIMITS),
    web: new WebFiles(dnsAddresses(), publicOr(trusted)),
    refetches: new Map(),
    slotsInUse: new Set(),
  };
}
