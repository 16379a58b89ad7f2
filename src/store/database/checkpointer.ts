import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How often what was written is moved from the log into the database, and so onto the disk for good. */
export const CHECKPOINT_INTERVAL_MS = 1_000;

const CLOSE_DEADLINE_MS = 5_000;

export interface CheckpointerData {
  readonly path: string;
}

/**
 * Moves the write-ahead log into the database on a thread of its own, because that waits for the disk, which the main
 * thread must not. The writer's own checkpoint is set far off: it bounds the log should this thread be gone or behind.
 */
export class Checkpointer {
  readonly #starting: NodeJS.Timeout;
  #worker: Worker | null = null;

  constructor(path: string) {
    this.#starting = setTimeout(() => this.#start(path), CHECKPOINT_INTERVAL_MS).unref();
  }

  /** Resolves when the thread has let go of the database. */
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
    // A thread that died is missed by nobody: from then on the writer's own checkpoint does its work.
    worker.on('error', () => {});
    worker.once('exit', () => {
      this.#worker = null;
    });
    worker.unref();
    this.#worker = worker;
  }
}
