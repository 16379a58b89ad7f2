import { setImmediate as turn } from 'node:timers/promises';
import { type CancelTimer, type Clock, isoAfter } from '../../base/time.ts';
import type { Db } from '../database/tables.ts';
import { deleteOldRequests } from '../keys/idempotent-requests.ts';
import { deleteRevokedKeys } from '../keys/keys.ts';
import { deleteEmptyGrants, deleteExpiredTokens, deleteOldSuccessors } from '../keys/oauth-grants.ts';
import { deleteOldestFailedPasswords } from '../people/audit-log.ts';
import { deleteOldestEvents } from './events.ts';
import { deleteOldestMessages } from './messages.ts';

const DAY_MS = 86_400_000;
const EVENT_MS = 30 * DAY_MS;
/** Their answers are given again for a day. */
const REQUEST_MS = DAY_MS;
/** Long enough to look into an attack. */
const FAILED_PASSWORDS_MS = 90 * DAY_MS;
/** What a key was and when it was revoked; the log of changes goes on knowing it. */
const REVOKED_KEY_MS = 30 * DAY_MS;
/** A refresh that is older is not repeated any more. */
const REPEATED_REFRESH_MS = 60_000;
/** Deleted at once; so few take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** Deletes up to `limit` rows from before a time; returns how many. */
type DeleteSome = (db: Db, before: string, limit: number) => Promise<number>;

/** How long what is kept that nothing else ends. */
interface KeptFor {
  /** Null: messages are kept for ever. */
  readonly messagesMs: number | null;
}

/**
 * Forgets events and revoked keys after 30 days, the answers to requests with a key after one, wrong passwords after 90,
 * tokens once they have expired, and messages when the operator says so: when the gateway starts, and every day from then
 * on.
 */
export class Retention {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #keptFor: KeptFor;
  readonly #onFailure: (error: unknown) => void;
  #cancelNext: CancelTimer = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(db: Db, clock: Clock, keptFor: KeptFor, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#keptFor = keptFor;
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
    const nowIso = this.#clock.nowIso();
    await this.#empty(deleteOldestEvents, isoAfter(nowIso, -EVENT_MS));
    await this.#empty(deleteOldRequests, isoAfter(nowIso, -REQUEST_MS));
    await this.#empty(deleteRevokedKeys, isoAfter(nowIso, -REVOKED_KEY_MS));
    const { messagesMs } = this.#keptFor;
    if (messagesMs !== null) await this.#empty(deleteOldestMessages, isoAfter(nowIso, -messagesMs));
    await this.#empty(deleteOldestFailedPasswords, isoAfter(nowIso, -FAILED_PASSWORDS_MS));
    await this.#empty(deleteExpiredTokens, nowIso);
    await this.#empty(deleteEmptyGrants, nowIso);
    await this.#empty(deleteOldSuccessors, isoAfter(nowIso, -REPEATED_REFRESH_MS));
  }

  async #empty(deleteSome: DeleteSome, before: string): Promise<void> {
    while (!this.#closed && (await deleteSome(this.#db, before, BATCH_SIZE)) > 0) await turn();
  }
}
