import { type CancelTimer, isoAfter } from '../base/time.ts';
import {
  coldFiles,
  type ExpiredFile,
  expiredFiles,
  idsWithBytes,
  type StoredFile,
  setGone,
} from '../store/messages/files.ts';
import { type FileDomain, INBOUND_LIFE_MS } from './file-domain.ts';
import { deleteWithBytes, emptyCache, removeBytes } from './remove-files.ts';

const EVERY_MS = 60_000;
const BATCH_SIZE = 100;

/** Removes bytes without a record, left behind when a process ended between writing and recording them. */
export async function removeOrphans({ disk, store }: Pick<FileDomain, 'disk' | 'store'>): Promise<void> {
  for await (const ids of disk.ids()) {
    const known = await idsWithBytes(store.db, ids);
    for (const id of ids) if (!known.has(id)) await disk.remove(id);
  }
}

/** Removes expired files and empties the cache, every minute. */
export class FileSweeper {
  readonly #domain: FileDomain;
  readonly #onFailure: (error: unknown) => void;
  #cancelNext: CancelTimer = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(domain: FileDomain, onFailure: (error: unknown) => void) {
    this.#domain = domain;
    this.#onFailure = onFailure;
  }

  start(): void {
    if (this.#closed) return;
    this.#sweeping = this.sweep().catch(this.#onFailure);
    this.#cancelNext = this.#domain.clock.after(EVERY_MS, () => this.start());
  }

  /** Resolves when nothing is read or written any more. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    await this.#sweeping;
  }

  /** Runs one sweep. */
  async sweep(): Promise<void> {
    await this.#inBatches(coldFiles, (file) => emptyCache(this.#domain, file));
    await this.#inBatches(expiredFiles, (file) => forget(this.#domain, file));
  }

  /** Settled files are not found again. */
  async #inBatches<File extends StoredFile>(
    find: (db: FileDomain['store']['db'], nowIso: string, limit: number) => Promise<File[]>,
    settle: (file: File) => Promise<void>,
  ): Promise<void> {
    const { store, clock } = this.#domain;
    for (let found = BATCH_SIZE; found === BATCH_SIZE && !this.#closed; ) {
      const files = await find(store.db, clock.nowIso(), BATCH_SIZE);
      for (const file of files) await settle(file);
      found = files.length;
    }
  }
}

/** A file attached to a message stays listed, without its bytes, for as long as an inbound file would. */
async function forget(domain: FileDomain, file: ExpiredFile): Promise<void> {
  const { store, clock, count } = domain;
  const listedUntil = isoAfter(file.createdAt, INBOUND_LIFE_MS);
  if (file.isAttached && listedUntil > clock.nowIso()) {
    await setGone(store.db, file.id, listedUntil);
    await removeBytes(domain, file);
  } else {
    await deleteWithBytes(domain, file);
  }
  count('expired');
}
