/** Heartbeat checks per stall timeout. */
const LOOKS = 8;

/** A worker whose thread is stopped when its heartbeat stands still. */
export interface Supervised {
  readonly heartbeat: number;
  /** Set by the supervisor before it stops the thread. */
  stalled: boolean;
}

interface Watch {
  heartbeat: number;
  unchangedLooks: number;
}

/**
 * Stops workers whose clock stands still. It counts checks rather than milliseconds, so a main thread that was blocked
 * itself does not blame the workers.
 */
export class Supervisor<Worker extends Supervised> {
  readonly #watches = new Map<Worker, Watch>();
  readonly #stop: (worker: Worker) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number, stop: (worker: Worker) => void) {
    this.#stop = stop;
    this.#timer = setInterval(() => this.#look(), stallMs / LOOKS);
    this.#timer.unref();
  }

  watch(worker: Worker): void {
    this.#watches.set(worker, { heartbeat: worker.heartbeat, unchangedLooks: 0 });
  }

  forget(worker: Worker): void {
    this.#watches.delete(worker);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watches.clear();
  }

  #look(): void {
    for (const [worker, watch] of this.#watches) {
      const { heartbeat } = worker;
      watch.unchangedLooks = heartbeat === watch.heartbeat ? watch.unchangedLooks + 1 : 0;
      watch.heartbeat = heartbeat;
      if (watch.unchangedLooks < LOOKS) continue;
      this.forget(worker);
      worker.stalled = true;
      this.#stop(worker);
    }
  }
}
