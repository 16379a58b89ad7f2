import { setImmediate as turn } from 'node:timers/promises';
import type { CancelTimer, Clock } from '../../base/time.ts';
import {
  type CrowdedAccount,
  crowdedAccounts,
  deleteOldestOf,
  noteTold,
} from '../../store/people/account-bytes.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { Store } from '../../store/store.ts';
import type { Mailer } from '../mail/mailer.ts';
import { accountFullMail } from '../mail/mails.ts';

const EVERY_MS = 10_000;
/** Below this share of the quota, the owner is told anew when it is reached again. */
const ROOMY = 0.9;
/** Rows of a kind that are deleted at a time, which takes about a millisecond of the main thread. */
const BATCH_SIZE = 100;

export interface CrowdedAccountsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly mailer: Mailer;
  /** Called once for each account that has become full. */
  readonly onFull: (accountId: string, bytes: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Looks after the accounts that store as much as they may. Tells their owners once, and deletes the oldest events and
 * deliveries of those that have used up the reserve, so that people can still write to them.
 */
export class CrowdedAccounts {
  readonly #deps: CrowdedAccountsDeps;
  #cancelNext: CancelTimer = () => {};
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: CrowdedAccountsDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#closed) return;
    this.#looking = this.look().catch(this.#deps.onFailure);
    this.#cancelNext = this.#deps.clock.after(EVERY_MS, () => this.start());
  }

  /** Resolves when the database is no longer used. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    await this.#looking;
  }

  /** Looks once. */
  async look(): Promise<void> {
    const { db, quota } = this.#deps.store;
    for (const account of await crowdedAccounts(db, quota.bytes)) {
      await this.#tell(account);
      await this.#makeRoom(account.accountId);
    }
  }

  async #tell({ accountId, bytes, isTold }: CrowdedAccount): Promise<void> {
    const { store, clock, mailer, onFull } = this.#deps;
    if (isTold) {
      if (bytes < store.quota.bytes * ROOMY) await noteTold(store.db, accountId, null);
      return;
    }
    await noteTold(store.db, accountId, clock.nowIso());
    onFull(accountId, bytes);
    mailer.later(async () => {
      const email = (await findAccount(store.db, accountId))?.email ?? null;
      return email === null ? null : accountFullMail(email);
    });
  }

  async #makeRoom(accountId: string): Promise<void> {
    const { db, quota } = this.#deps.store;
    while (!this.#closed && quota.storedBy(accountId) > quota.reserveBytes) {
      if ((await deleteOldestOf(db, accountId, BATCH_SIZE)) === 0) return;
      await turn();
    }
  }
}
