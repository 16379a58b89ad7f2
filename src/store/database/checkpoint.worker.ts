import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { CHECKPOINT_INTERVAL_MS, type CheckpointerData } from './checkpointer.ts';

const { path } = workerData as CheckpointerData;
const database = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });

/**
 * Passive: never waits for readers. Pages still in use are moved by a later run, and a full disk is retried as well.
 */
function checkpoint(): void {
  try {
    database.pragma('wal_checkpoint(passive)');
  } catch {
    // The writer's next write fails on the same disk and reports it.
  }
}

const timer = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
});
