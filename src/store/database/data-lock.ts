import SqliteDatabase from 'better-sqlite3';
import { describeFailure, StoreError } from './store-error.ts';

/** Lets go of the lock; safe to call twice. */
export type ReleaseLock = () => void;

/**
 * Makes this process the only gateway on a database. The lock is the operating system's, held through an
 * otherwise unused SQLite file: it vanishes with the process, so that nothing is left to clean after `kill -9`,
 * and other programs may still read the database itself.
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
