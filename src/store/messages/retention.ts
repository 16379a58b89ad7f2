import { setImmediate as turn } from 'node:timers/promises';
import { type CancelTimer, type Clock, isoAfter } from '../../base/time.ts';
import { deleteOldest } from '../database/delete-some.ts';
import { type Db, deleteExpired } from '../database/rows.ts';
import { deleteOldRequests } from '../keys/idempotent-requests.ts';
import { deleteRevokedKeys } from '../keys/keys.ts';
import { deleteEmptyGrants, deleteExpiredTokens, deleteOldSuccessors } from '../keys/oauth-grants.ts';
import { deleteExpiredConnectionStates } from '../logins/connection-states.ts';
import { deleteOldestAttempts } from '../people/audit-log.ts';
import { deleteOldUses } from '../people/budget-uses.ts';
import { deleteOldestCalls } from './call-history.ts';
import { deleteOldestMessages } from './messages.ts';

const DAY_MS = 86_400_000;
const EVENT_MS = 30 * DAY_MS;
/** No budget is for longer than a day. */
const BUDGET_MS = 2 * DAY_MS;
/** Answers of idempotent requests are repeated for a day. */
const REQUEST_MS = DAY_MS;
/** Long enough to investigate an attack. */
const ATTEMPTS_MS = 90 * DAY_MS;
/** Applies to the record of a revoked key. The audit log keeps its entry. */
const REVOKED_KEY_MS = 30 * DAY_MS;
/** After this time a refresh can no longer be repeated. */
const REPEATED_REFRESH_MS = 60_000;
/** Rows deleted at a time, which takes less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** Events, and what models were told of them. */
const TOLD = [
  { table: 'events', key: 'id' },
  { table: 'deliveries', key: 'seq' },
  { table: 'model_turns', key: 'id' },
];

/** Deletes up to `limit` rows from before a time. Returns their number. */
type DeleteSome = (db: Db, before: string, limit: number) => Promise<number>;

/** Configurable retention periods. */
interface RetentionTimes {
  /** Null: messages are kept forever. */
  readonly messagesMs: number | null;
  /** Null: ended calls are kept forever, with their transcripts. */
  readonly callsMs: number | null;
}

/**
 * Deletes old data at start and then daily: edits of messages that never came, events, deliveries to models and their transcripts, and revoked keys after
 * 30 days, uses of budgets after two days, answers of idempotent requests after one day, wrong passwords and uses of the bridge's key after 90 days,
 * tokens and connections in progress once they have expired, and messages and ended calls if the operator has set a
 * period.
 */
export class Retention {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #keptFor: RetentionTimes;
  readonly #onFailure: (error: unknown) => void;
  #cancelNext: CancelTimer = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(db: Db, clock: Clock, keptFor: RetentionTimes, onFailure: (error: unknown) => void) {
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

  /** Resolves when the database is no longer used. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const nowIso = this.#clock.nowIso();
    for (const rows of TOLD)
      await this.#empty(
        (db, before, limit) => deleteOldest(db, rows, before, limit),
        isoAfter(nowIso, -EVENT_MS),
      );
    await deleteExpired(this.#db, 'earlyEdits', nowIso);
    await this.#empty(deleteOldUses, isoAfter(nowIso, -BUDGET_MS));
    await this.#empty(deleteOldRequests, isoAfter(nowIso, -REQUEST_MS));
    await this.#empty(deleteRevokedKeys, isoAfter(nowIso, -REVOKED_KEY_MS));
    const { messagesMs, callsMs } = this.#keptFor;
    if (messagesMs !== null) await this.#empty(deleteOldestMessages, isoAfter(nowIso, -messagesMs));
    if (callsMs !== null) await this.#empty(deleteOldestCalls, isoAfter(nowIso, -callsMs));
    await this.#empty(deleteOldestAttempts, isoAfter(nowIso, -ATTEMPTS_MS));
    await this.#empty(deleteExpiredTokens, nowIso);
    await this.#empty(deleteExpiredConnectionStates, nowIso);
    await this.#empty(deleteEmptyGrants, nowIso);
    await this.#empty(deleteOldSuccessors, isoAfter(nowIso, -REPEATED_REFRESH_MS));
  }

  async #empty(deleteSome: DeleteSome, before: string): Promise<void> {
    while (!this.#closed && (await deleteSome(this.#db, before, BATCH_SIZE)) > 0) await turn();
  }
}
