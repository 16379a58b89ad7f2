import type { CancelTimer } from '../base/time.ts';
import { coldFiles, expiredFiles, type StoredFile } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';
import { sweepOrphans } from './orphans.ts';
import { emptyCache, forgetFile } from './remove-files.ts';

const EVERY_MS = 60_000;
/** One in so many sweeps looks for orphans, too. */
const ORPHANS_EVERY = 60;
const BATCH_SIZE = 100;

/** Removes expired files and empties the cache, every minute. Looks for orphans every hour. */
export class FileSweeper {
  readonly #domain: FileDomain;
  readonly #onFailure: (error: unknown) => void;
  #cancelNext: CancelTimer = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #sweeps = 0;
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
    await this.#inBatches(expiredFiles, (file) => forgetFile(this.#domain, file));
    this.#sweeps += 1;
    if (this.#sweeps % ORPHANS_EVERY === 0) await sweepOrphans(this.#domain, () => this.#closed);
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
