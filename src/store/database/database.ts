import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { SqliteStatement, SqliteDatabase as StatementSource } from 'kysely';
import { foldCase } from '../../base/fold-case.ts';
import { storedValues } from './columns.ts';
import { checkSchema, migrate } from './migrate.ts';
import { describeFailure, StoreError } from './store-error.ts';

/** Maximum wait for a lock held by another program (a backup, a shell). It blocks the thread. */
const BUSY_TIMEOUT_MS = 1_000;

/** Size limit of the write-ahead log. The Checkpointer empties it long before. With 4 KiB pages, about 64 MB. */
const WAL_LIMIT_PAGES = 16_384;
/** SQLite's page cache. The kernel caches the rest of the file, so memory does not grow with it. */
const PAGE_CACHE_KB = 2_000;

/** Limit of cached prepared statements. The gateway has fewer of its own; lists of varying length add more. */
const STATEMENT_CACHE_SIZE = 256;

/**
 * Divides every valid page size. SQLite reads no data beyond the end of a file, and treats a truncated rest as empty.
 */
const PAGE_DIVISOR_BYTES = 512;

const ANYONE_MAY_WRITE = 0o222;
/** SQLite creates its log with the same permissions. */
const OWNER_ONLY = 0o600;

/**
 * Opens a database file and migrates it to the current schema. Throws a StoreError, without changes, if it is unusable.
 */
export function openDatabase(path: string, nowIso: () => string): Database {
  try {
    if (existsSync(path)) inspect(path);
    else closeSync(openSync(path, 'ax', OWNER_ONLY));
    return openForWriting(path, nowIso);
  } catch (error) {
    throw describeFailure(path, error);
  }
}

/** Checks the file through a read-only connection, before anything can write to a file that must not be touched. */
function inspect(path: string): void {
  const { mode, size } = statSync(path);
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if ((mode & ANYONE_MAY_WRITE) === 0) {
    throw new StoreError(
      'not_writable',
      `${path} is read-only; make it writable or use another SVC_DATA_DIR`,
    );
  }
  const database = new SqliteDatabase(path, {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  });
  try {
    checkSchema(database, path);
    const finding = database.pragma('quick_check(1)', { simple: true });
    if (finding !== 'ok') throw damaged(path, finding);
    // With a log the file may be short: the missing part is in the log.
    if (size % PAGE_DIVISOR_BYTES !== 0 && !hasLog) throw damaged(path, 'it ends within a page');
  } finally {
    database.close();
  }
}

function damaged(path: string, finding: unknown): StoreError {
  return new StoreError('damaged', `${path} is damaged (${finding}); it was not changed: restore a backup`);
}

function openForWriting(path: string, nowIso: () => string): Database {
  const database = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('journal_mode = wal');
    database.pragma('synchronous = normal');
    database.pragma(`wal_autocheckpoint = ${WAL_LIMIT_PAGES}`);
    database.pragma('foreign_keys = on');
    database.pragma(`cache_size = -${PAGE_CACHE_KB}`);
    // SQLite's lower() only knows ASCII. For queries only: other programs could not open a schema that uses this
    // function.
    database.function('fold_case', { deterministic: true }, foldCaseOf);
    migrate(database, nowIso);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function foldCaseOf(text: unknown): string | null {
  return typeof text === 'string' ? foldCase(text) : null;
}

/**
 * Caches prepared statements for Kysely. SQLite re-prepares them itself when the schema changes. Errors of statements
 * are passed through `failure`.
 */
export function withStatementCache(
  database: Database,
  failure: (error: unknown) => unknown,
): StatementSource {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = telling(database.prepare(sql) as unknown as SqliteStatement, failure);
      if (statements.size >= STATEMENT_CACHE_SIZE) statements.delete(statements.keys().next().value!);
      statements.set(sql, statement);
      return statement;
    },
  };
}

function telling(statement: SqliteStatement, failure: (error: unknown) => unknown): SqliteStatement {
  const told = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw failure(error);
    }
  };
  return {
    reader: statement.reader,
    all: (parameters) => told(() => statement.all(storedValues(parameters))),
    run: (parameters) => told(() => statement.run(storedValues(parameters))),
    iterate: (parameters) => told(() => statement.iterate(storedValues(parameters))),
  };
}
