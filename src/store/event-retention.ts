import { setImmediate as turn } from 'node:timers/promises';
import { type CancelTimer, type Clock, isoAfter } from '../base/time.ts';
import { deleteOldestEvents } from './events.ts';
import type { Db } from './tables.ts';

const DAY_MS = 86_400_000;
const RETENTION_MS = 30 * DAY_MS;
/** Deleted at once; so few take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** Forgets events after 30 days: when the gateway starts, and every day from then on. */
export class EventRetention {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  #cancelNext: CancelTimer = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(db: Db, clock: Clock, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  start(): void {
    if (this.#closed) return;
    this.#sweeping = this.#sweep().catch(this.#onFailure);
    this.#cancelNext = this.#clock.after(DAY_MS, () => this.start());
  }

  /** Resolves when the database is no longer used; safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const before = isoAfter(this.#clock.nowIso(), -RETENTION_MS);
    while (!this.#closed && (await deleteOldestEvents(this.#db, before, BATCH_SIZE)) > 0) await turn();
  }
}
