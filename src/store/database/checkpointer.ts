import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Interval for moving the write-ahead log into the database, which makes the writes durable. */
export const CHECKPOINT_INTERVAL_MS = 1_000;

const CLOSE_DEADLINE_MS = 5_000;

export interface CheckpointerData {
  readonly path: string;
}

/**
 * Checkpoints the write-ahead log on its own thread, because checkpoints wait for the disk and the main thread must
 * not. The writer's own checkpoint has a high threshold: it bounds the log if this thread has died or fallen behind.
 */
export class Checkpointer {
  readonly #starting: NodeJS.Timeout;
  #worker: Worker | null = null;

  constructor(path: string) {
    this.#starting = setTimeout(() => this.#start(path), CHECKPOINT_INTERVAL_MS).unref();
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
