import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database, Statement } from 'better-sqlite3';
import { CamelCasePlugin, Kysely } from 'kysely';
import { type Clock, systemClock } from '../base/time.ts';
import { Checkpointer } from './database/checkpointer.ts';
import { lockData } from './database/data-lock.ts';
import { openDatabase, withStatementCache } from './database/database.ts';
import { QueueingDialect } from './database/dialect.ts';
import { DiskWatch } from './database/disk-watch.ts';
import { describeFailure } from './database/store-error.ts';
import type { Db, Tables } from './database/tables.ts';
import { assertNoLostDatabase, type MasterKeyOptions, openSecretBox } from './secrets/master-key.ts';
import type { SecretBox } from './secrets/secret-box.ts';

/** The gateway's memory: one SQLite file, and the box that seals the secrets in it. */
export interface Store {
  readonly db: Db;
  readonly secrets: SecretBox;
  /** Whether the disk that it lies on takes what is written. */
  readonly disk: DiskWatch;
  /** Another one whenever a row may have changed; the same one says that none has. Takes some microseconds. */
  version(): string;
  /** Writes everything to the file and lets another gateway have it; safe to call twice. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly dataDir: string;
  /** 32 bytes; null: a key file beside the database. */
  readonly masterKey: Buffer | null;
  /** An empty database may begin beside an existing key file; it is refused unless told otherwise. */
  readonly allowsNewDatabase?: boolean;
  /** Told what an operator should look at. */
  readonly onWarning?: MasterKeyOptions['onWarning'];
  readonly clock?: Clock;
}

/**
 * Opens `gateway.db` in the data directory, made when missing, and brings its schema up to date. Rejects with a
 * StoreError, leaving the file as it was, when another gateway has it or it cannot be used.
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
    return new SqliteStore(database, secrets, releaseLock);
  } catch (error) {
    database?.close();
    releaseLock();
    throw error;
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
  readonly #database: Database;
  readonly #checkpointer: Checkpointer;
  readonly #releaseLock: () => void;
  readonly #ownChanges: Statement<[], number>;
  readonly #otherChanges: Statement<[], number>;
  #othersNow: number | null = null;
  #closed: Promise<void> | null = null;

  constructor(database: Database, secrets: SecretBox, releaseLock: () => void) {
    this.#database = database;
    this.#releaseLock = releaseLock;
    this.secrets = secrets;
    this.disk = new DiskWatch({ dir: dirname(database.name), probe: () => writeALittle(database) });
    this.#checkpointer = new Checkpointer(database.name);
    this.#ownChanges = database.prepare<[], number>('select total_changes()').pluck();
    // Nobody but a shell of the operator's writes beside us.
    this.#otherChanges = database.prepare<[], number>('pragma data_version').pluck();
    this.db = new Kysely<Tables>({
      dialect: new QueueingDialect(
        withStatementCache(database, (error) => this.disk.failure(error)),
        () => database.inTransaction,
      ),
      plugins: [new CamelCasePlugin()],
    });
  }

  version(): string {
    return `${this.#ownChanges.get()} ${this.#others()}`;
  }

  /** Asked once in a turn of the event loop: it takes several times as long as what we write ourselves. */
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

  /** Whoever closes the database last empties the log into it, so the writer goes after its helper. */
  async #close(): Promise<void> {
    this.disk.close();
    await this.db.destroy();
    await this.#checkpointer.close();
    this.#database.close();
    this.#releaseLock();
  }
}

/** A page of the log, which changes nothing. Within a transaction it would prove nothing: that is for its own end to tell. */
function writeALittle(database: Database): void {
  if (database.inTransaction) return;
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
}
