import { setImmediate as turn } from 'node:timers/promises';
import type { SqliteDatabase } from 'kysely';
import {
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely';
import { columns } from './columns.ts';

/**
 * Kysely's SQLite dialect with its own queue for the single connection. Kysely's lock wakes every waiter each time it
 * is released, and all but one go back to waiting; with thousands of concurrent queries most of the time was spent
 * there.
 */
export class QueueingDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #isInTransaction: () => boolean;

  constructor(database: SqliteDatabase, isInTransaction: () => boolean) {
    super({ database });
    this.#database = database;
    this.#isInTransaction = isInTransaction;
  }

  override createDriver(): QueueingDriver {
    return new QueueingDriver(this.#database, this.#isInTransaction);
  }

  override createAdapter(): LocklessAdapter {
    return new LocklessAdapter();
  }

  override createQueryCompiler(): SteadyQueryCompiler {
    return new SteadyQueryCompiler();
  }
}

/**
 * Keeps prepared statements prepared. SQLite plans a statement anew whenever a parameter gets another value that could
 * change the plan: one that rows of an ordered result are found by, or a limit (`sqlite3VdbeSetVarmask`). That takes
 * longer than most queries. It does not look at the value of an expression. For the same reason, a condition that a
 * partial index depends on must be a literal.
 */
class SteadyQueryCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }

  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(columns.stored(identifier));
  }
}

/** Disables Kysely's lock; the driver queues instead. */
class LocklessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * How long queries and transactions follow each other before everything else gets its turn. SQLite answers at once, so a
 * hundred that wait would run in one turn of the event loop; calls and requests would have to wait for its end.
 */
const MOST_AT_ONCE_MS = 10;

/** Passes the connection from one query or transaction to the next, in request order. */
class QueueingDriver extends SqliteDriver {
  readonly #isInTransaction: () => boolean;
  #last: Promise<void> = Promise.resolve();
  #handOn: () => void = () => {};
  /** When the connection was first used in this turn; null: not yet. */
  #usedSinceMs: number | null = null;
  readonly #nextTurn = (): void => {
    this.#usedSinceMs = null;
  };

  constructor(database: SqliteDatabase, isInTransaction: () => boolean) {
    super({ database });
    this.#isInTransaction = isInTransaction;
  }

  /** SQLite rolls back by itself when the disk is full. A second rollback would fail and hide the cause. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isInTransaction()) await super.rollbackTransaction(connection);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const former = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await former;
    if (this.#isOverdue()) await turn();
    this.#handOn = resolve;
    return await super.acquireConnection();
  }

  #isOverdue(): boolean {
    const nowMs = performance.now();
    if (this.#usedSinceMs !== null) return nowMs - this.#usedSinceMs > MOST_AT_ONCE_MS;
    this.#usedSinceMs = nowMs;
    setImmediate(this.#nextTurn);
    return false;
  }

  override async releaseConnection(): Promise<void> {
    this.#handOn();
  }
}
