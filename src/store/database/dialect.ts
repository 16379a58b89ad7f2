import type { SqliteDatabase } from 'kysely';
import {
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely';
import { columns } from './columns.ts';
import type { ConnectionTurns } from './connection-turns.ts';

interface QueueingDialectOptions {
  readonly database: SqliteDatabase;
  readonly turns: ConnectionTurns;
  readonly isInTransaction: () => boolean;
}

/**
 * Kysely's SQLite dialect with its own queue for the single connection. Kysely's lock wakes every waiter each time it
 * is released, and all but one go back to waiting; with thousands of concurrent queries most of the time was spent
 * there.
 */
export class QueueingDialect extends SqliteDialect {
  readonly #options: QueueingDialectOptions;

  constructor(options: QueueingDialectOptions) {
    super({ database: options.database });
    this.#options = options;
  }

  override createDriver(): QueueingDriver {
    return new QueueingDriver(this.#options);
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

/** Passes the connection from one query or transaction to the next. */
class QueueingDriver extends SqliteDriver {
  readonly #turns: ConnectionTurns;
  readonly #isInTransaction: () => boolean;

  constructor({ database, turns, isInTransaction }: QueueingDialectOptions) {
    super({ database });
    this.#turns = turns;
    this.#isInTransaction = isInTransaction;
  }

  /** SQLite rolls back by itself when the disk is full. A second rollback would fail and hide the cause. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isInTransaction()) await super.rollbackTransaction(connection);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.enter();
    return await super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#turns.leave();
  }
}
