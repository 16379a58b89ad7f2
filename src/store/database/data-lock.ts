import SqliteDatabase from 'better-sqlite3';
import { describeFailure, StoreError } from './store-error.ts';

/** Releases the lock. Safe to call twice. */
export type ReleaseLock = () => void;

/**
 * Makes this process the only gateway on a database. The lock is an operating system lock, held through an otherwise
 * unused SQLite file. It ends with the process, so `kill -9` leaves nothing to clean up, and other programs can still
 * read the database itself.
 */
export function lockData(path: string): ReleaseLock {
  const lock = openLockFile(path);
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw describeFailure(path, error);
    throw new StoreError('locked', `another gateway is running on this data directory (${path} is locked)`, {
      cause: error,
    });
  }
  return () => lock.close();
}

function openLockFile(path: string): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(path, { timeout: 0 });
  } catch (error) {
    throw describeFailure(path, error);
  }
}
