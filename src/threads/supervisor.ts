import type { WorkerLink } from './worker-link.ts';

/** Heartbeat checks per stall timeout. */
const LOOKS = 8;

interface Watch {
  heartbeat: number;
  unchangedLooks: number;
}

/**
 * Stops workers whose clock stands still. It counts checks rather than milliseconds, so a main thread that was blocked
 * itself does not blame the workers.
 */
export class Supervisor {
  readonly #watches = new Map<WorkerLink, Watch>();
  readonly #stop: (worker: WorkerLink) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number, stop: (worker: WorkerLink) => void) {
    this.#stop = stop;
    this.#timer = setInterval(() => this.#look(), stallMs / LOOKS);
    this.#timer.unref();
  }

  watch(worker: WorkerLink): void {
    this.#watches.set(worker, { heartbeat: worker.stats.heartbeat, unchangedLooks: 0 });
  }

  forget(worker: WorkerLink): void {
    this.#watches.delete(worker);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watches.clear();
  }

  #look(): void {
    for (const [worker, watch] of this.#watches) {
      const { heartbeat } = worker.stats;
      watch.unchangedLooks = heartbeat === watch.heartbeat ? watch.unchangedLooks + 1 : 0;
      watch.heartbeat = heartbeat;
      if (watch.unchangedLooks < LOOKS) continue;
      this.forget(worker);
      worker.stalled = true;
      this.#stop(worker);
    }
  }
}
