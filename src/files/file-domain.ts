import type { Platform } from '../base/platform.ts';
import type { ReadingTime } from '../base/reading-time.ts';
import type { Clock } from '../base/time.ts';
import type { FetchesFiles } from '../connectors/contract/messenger.ts';
import type { Store } from '../store/store.ts';
import type { FileDisk } from './file-disk.ts';
import type { StorageLedger } from './storage-ledger.ts';
import type { Transfers } from './transfers.ts';
import type { WebFiles } from './web-files.ts';

/** Counted file events. */
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

/** Dependencies for working with files. Built once by the composition root. */
export interface FileDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly disk: FileDisk;
  readonly ledger: StorageLedger;
  readonly transfers: Transfers;
  readonly web: WebFiles;
  /** In which incoming bytes are handed on, whatever chunks they come in. */
  readonly readingTime: ReadingTime;
  /** Maximum file size in bytes. */
  readonly maxBytes: number;
  /** Base URL under which files are served, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Platform files being fetched, by id. Each promise resolves with the file's size. */
  readonly refetches: Map<string, Promise<number>>;
  /** Hashes of the upload slots being filled. */
  readonly slotsInUse: Set<string>;
  /** Undefined: the gateway does not have this platform, or files cannot be fetched from it. */
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
/** An upload that started in time may take as long as a form upload. */
export const SLOT_GRACE_MS = 20 * MINUTE_MS;
