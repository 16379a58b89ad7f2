import type { SqliteDatabase } from 'kysely';
import { type DatabaseConnection, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';

/**
 * Kysely's SQLite with a queue of its own before the one connection. Kysely's lock wakes everybody who waits whenever it
 * becomes free, and all but one go back to waiting: with thousands of queries at once most of the time went there.
 */
export class QueueingDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): QueueingDriver {
    return new QueueingDriver({ database: this.#database });
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
  #last: Promise<void> = Promise.resolve();
  #handOn: () => void = () => {};

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
