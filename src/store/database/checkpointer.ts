import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Interval for making the writes durable. */
export const SYNC_INTERVAL_MS = 1_000;
/** With 4 KiB pages, 16 MB: a quarter of the writer's own limit. */
const CHECKPOINT_PAGES = 4_000;
const CHECKPOINT_MS = 30_000;

const CLOSE_DEADLINE_MS = 5_000;

export interface CheckpointerData {
  readonly path: string;
}

/**
 * Returns whether the log is to be moved into the database. Whoever writes first after that begins the log anew, and
 * waits until the disk has its header (`walFrames` in SQLite's wal.c): the main thread, for as long as the disk takes.
 */
export function isCheckpointDue(pages: number, sinceLastMs: number): boolean {
  return pages >= CHECKPOINT_PAGES || sinceLastMs >= CHECKPOINT_MS;
}

/**
 * Makes writes durable on its own thread, because that waits for the disk and the main thread must not: every second the
 * write-ahead log is flushed, and sometimes moved into the database. The writer's own checkpoint has a high threshold: it
 * bounds the log if this thread has died or fallen behind.
 */
export class Checkpointer {
  readonly #starting: NodeJS.Timeout;
  #worker: Worker | null = null;

  constructor(path: string) {
    this.#starting = setTimeout(() => this.#start(path), SYNC_INTERVAL_MS).unref();
  }

  /** Resolves when the thread has closed the database. */
  async close(): Promise<void> {
    clearTimeout(this.#starting);
    const worker = this.#worker;
    if (!worker) return;
    const exited = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    const deadline = setTimeout(() => void worker.terminate(), CLOSE_DEADLINE_MS);
    await exited;
    clearTimeout(deadline);
  }

  #start(path: string): void {
    const workerData: CheckpointerData = { path };
    const worker = new Worker(new URL('./checkpoint.worker.ts', import.meta.url), { workerData });
    // If the thread dies, the writer's own checkpoint takes over.
    worker.on('error', () => {});
    worker.once('exit', () => {
      this.#worker = null;
    });
    worker.unref();
    this.#worker = worker;
  }
}
