import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database, Statement } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { ReadingTime } from '../base/reading-time.ts';
import { type Clock, systemClock } from '../base/time.ts';
import { AccountQuota } from './database/account-quota.ts';
import { Checkpointer } from './database/checkpointer.ts';
import { columns } from './database/columns.ts';
import { ConnectionTurns } from './database/connection-turns.ts';
import { lockData } from './database/data-lock.ts';
import { openDatabase, withStatementCache } from './database/database.ts';
import { QueueingDialect } from './database/dialect.ts';
import { DiskWatch } from './database/disk-watch.ts';
import type { Db } from './database/rows.ts';
import { describeFailure } from './database/store-error.ts';
import type { Tables } from './database/tables.ts';
import { assertNoLostDatabase, type MasterKeyOptions, openSecretBox } from './secrets/master-key.ts';
import type { SecretBox } from './secrets/secret-box.ts';

/** Some 50,000 messages of a page each, with their events. */
const ACCOUNT_BYTES = 512 * 1_048_576;

/** The gateway's storage: one SQLite file, and the box that seals its secrets. */
export interface Store {
  readonly db: Db;
  readonly secrets: SecretBox;
  /** Tells whether the disk accepts writes. */
  readonly disk: DiskWatch;
  /** What each account may store. */
  readonly quota: AccountQuota;
  /**
   * Returns a different text whenever a row may have changed. The same text means no change. Takes some microseconds.
   */
  version(): string;
  /** Writes everything to the file and releases the lock. Safe to call twice. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly dataDir: string;
  /** 32 bytes. Null: a key file next to the database is used. */
  readonly masterKey: Buffer | null;
  /** Allows an empty database next to an existing key file. Refused by default. */
  readonly allowsNewDatabase?: boolean;
  /** Called with problems that an operator should check. */
  readonly onWarning?: MasterKeyOptions['onWarning'];
  readonly clock?: Clock;
  /** What one account may store in the database, in bytes. Default: 512 MiB. */
  readonly accountBytes?: number;
  /** The main thread's time, as accounts share it. Default: of this store alone. */
  readonly time?: ReadingTime;
}

/**
 * Opens `gateway.db` in the data directory, creating it if missing, and updates its schema. Rejects with a StoreError,
 * without changing the file, when another gateway uses it or it is unusable.
 */
export async function openStore({ dataDir, clock = systemClock, ...options }: StoreOptions): Promise<Store> {
  makeDataDir(dataDir);
  const databasePath = join(dataDir, 'gateway.db');
  const keyOptions: MasterKeyOptions = {
    keyPath: join(dataDir, 'master.key'),
    configuredKey: options.masterKey,
    allowsNewDatabase: options.allowsNewDatabase ?? false,
    onWarning: options.onWarning ?? (() => {}),
  };
  const releaseLock = lockData(join(dataDir, 'gateway.lock'));
  let database: Database | undefined;
  try {
    assertNoLostDatabase(databasePath, keyOptions);
    database = openDatabase(databasePath, () => clock.nowIso());
    const secrets = openSecretBox(database, keyOptions);
    const quota = new AccountQuota(database, clock, options.accountBytes ?? ACCOUNT_BYTES);
    const turns = new ConnectionTurns(clock, options.time ?? new ReadingTime(clock));
    return new SqliteStore(database, { secrets, quota, turns }, releaseLock);
  } catch (error) {
    database?.close();
    releaseLock();
    throw describeFailure(databasePath, error);
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw describeFailure(dataDir, error);
  }
}

class SqliteStore implements Store {
  readonly db: Db;
  readonly secrets: SecretBox;
  readonly disk: DiskWatch;
  readonly quota: AccountQuota;
  readonly #database: Database;
  readonly #checkpointer: Checkpointer;
  readonly #releaseLock: () => void;
  readonly #ownChanges: Statement<[], number>;
  readonly #otherChanges: Statement<[], number>;
  #othersNow: number | null = null;
  #closed: Promise<void> | null = null;

  constructor(
    database: Database,
    { secrets, quota, turns }: Pick<Store, 'secrets' | 'quota'> & { readonly turns: ConnectionTurns },
    releaseLock: () => void,
  ) {
    this.#database = database;
    this.#releaseLock = releaseLock;
    this.secrets = secrets;
    this.quota = quota;
    this.disk = new DiskWatch({ dir: dirname(database.name), probe: () => writeALittle(database) });
    this.#checkpointer = new Checkpointer(database.name);
    this.#ownChanges = database.prepare<[], number>('select total_changes()').pluck();
    // Only an operator's shell would write to the database besides this process.
    this.#otherChanges = database.prepare<[], number>('pragma data_version').pluck();
    this.db = new Kysely<Tables>({
      dialect: new QueueingDialect({
        database: withStatementCache(database, (error) => this.disk.failure(error)),
        turns,
        isInTransaction: () => database.inTransaction,
      }),
      plugins: [columns],
    });
  }

  version(): string {
    return `${this.#ownChanges.get()} ${this.#others()}`;
  }

  /** Read once per turn of the event loop, since it takes several times as long as reading our own changes. */
  #others(): number {
    if (this.#othersNow === null) {
      this.#othersNow = this.#otherChanges.get() ?? 0;
      setImmediate(() => {
        this.#othersNow = null;
      });
    }
    return this.#othersNow;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The last connection to close empties the log into the database, so the writer closes after the checkpointer. */
  async #close(): Promise<void> {
    this.disk.close();
    await this.db.destroy();
    await this.#checkpointer.close();
    this.#database.close();
    this.#releaseLock();
  }
}

/**
 * Writes a page of the log without changing data. Skipped within a transaction, where it would prove nothing: the
 * transaction's own commit shows whether the disk accepts writes.
 */
function writeALittle(database: Database): void {
  if (database.inTransaction) return;
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
}
