import type { SqliteDatabase } from 'kysely';
import { type DatabaseConnection, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';

/**
 * Kysely's SQLite with a queue of its own before the one connection. Kysely's lock wakes everybody who waits whenever it
 * becomes free, and all but one go back to waiting: with thousands of queries at once most of the time went there.
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
}

/** Lets Kysely leave the lock to the driver. */
class LocklessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Hands the connection on from one query or transaction to the next, in the order in which they asked. */
class QueueingDriver extends SqliteDriver {
  readonly #isInTransaction: () => boolean;
  #last: Promise<void> = Promise.resolve();
  #handOn: () => void = () => {};

  constructor(database: SqliteDatabase, isInTransaction: () => boolean) {
    super({ database });
    this.#isInTransaction = isInTransaction;
  }

  /** SQLite has rolled back by itself when the disk is full; to do so again would fail, and hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isInTransaction()) await super.rollbackTransaction(connection);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const former = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await former;
    this.#handOn = resolve;
    return await super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#handOn();
  }
}
