import { fdatasyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { type CheckpointerData, isCheckpointDue, SYNC_INTERVAL_MS } from './checkpointer.ts';

const { path } = workerData as CheckpointerData;
const database = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
/** SQLite holds no locks on the log, which another descriptor of this process could take away. */
let log: number | null = null;

let checkpointedMs = Number.NEGATIVE_INFINITY;
let syncedPages = 0;

function makeDurable(): void {
  try {
    const { pages, checkpointedPages } = logState();
    if (pages === checkpointedPages) return;
    const nowMs = performance.now();
    if (isCheckpointDue(pages, nowMs - checkpointedMs)) checkpoint(nowMs);
    else if (pages !== syncedPages) flush();
    syncedPages = pages;
  } catch {
    // The writer's next write fails on the same disk and reports it.
  }
}

function flush(): void {
  log ??= openSync(`${path}-wal`, 'r');
  fdatasyncSync(log);
}

/** Passive: never waits for readers. Pages still in use are moved by a later run, and a full disk is retried as well. */
function checkpoint(nowMs: number): void {
  database.pragma('wal_checkpoint(passive)');
  checkpointedMs = nowMs;
}

/** How many pages the log has, and how many of them are in the database. */
function logState(): { readonly pages: number; readonly checkpointedPages: number } {
  const [state] = database.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[];
  return { pages: state?.log ?? 0, checkpointedPages: state?.checkpointed ?? 0 };
}

const timer = setInterval(makeDurable, SYNC_INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
});
