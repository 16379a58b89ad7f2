import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { CHECKPOINT_INTERVAL_MS, type CheckpointerData } from './checkpointer.ts';

const { path } = workerData as CheckpointerData;
const database = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });

/** Waits for nobody: what readers still need is moved the next time. A full disk is tried again, too. */
function checkpoint(): void {
  try {
    database.pragma('wal_checkpoint(passive)');
  } catch {
    // The writer meets the same disk with its next write, and tells of it there.
  }
}

const timer = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
});
