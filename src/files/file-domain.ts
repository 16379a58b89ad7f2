import type { Platform } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { FetchesFiles } from '../connectors/contract/messenger.ts';
import type { Store } from '../store/store.ts';
import type { FileDisk } from './file-disk.ts';
import type { StorageLedger } from './storage-ledger.ts';
import type { Transfers } from './transfers.ts';
import type { WebFiles } from './web-files.ts';

/** What is counted of files. */
export type FileEvent =
  | 'stored'
  | 'fetched_url'
  | 'blocked_url'
  | 'refetched'
  | 'refetch_failed'
  | 'gone'
  | 'too_large'
  | 'storage_full'
  | 'too_many_transfers'
  | 'expired';

/** What the verbs about files work with; put together once by the composition root. */
export interface FileDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly disk: FileDisk;
  readonly ledger: StorageLedger;
  readonly transfers: Transfers;
  readonly web: WebFiles;
  /** Largest file, in bytes. */
  readonly maxBytes: number;
  /** Under which address files are served, without a slash at the end. */
  readonly publicUrl: () => string;
  /** By id, the platforms' files that are being fetched, with their sizes to be. */
  readonly refetches: Map<string, Promise<number>>;
  /** Hashes of the slots that are being filled. */
  readonly slotsInUse: Set<string>;
  /** Undefined: the gateway has no such platform, or files cannot be had from it. */
  readonly fetcher: (platform: Platform) => FetchesFiles | undefined;
  readonly count: (event: FileEvent) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Specification, "Limits". */
export const UPLOAD_LIFE_MS = 24 * HOUR_MS;
export const INBOUND_LIFE_MS = 30 * 24 * HOUR_MS;
export const CACHE_LIFE_MS = 15 * MINUTE_MS;
export const SLOT_LIFE_MS = 5 * MINUTE_MS;
/** Who began in time may take as long as a form may take. */
export const SLOT_GRACE_MS = 20 * MINUTE_MS;
