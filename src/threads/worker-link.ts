import type { MessagePort } from 'node:worker_threads';
import { EngineStats } from './engine-stats.ts';
import type { Command, Event, Reply, WorkerReady } from './protocol.ts';

/** What a worker's port brings, apart from doorbells. */
export interface WorkerLinkHost {
  received(message: Event | Reply, worker: WorkerLink): void;
  gone(worker: WorkerLink): void;
  /** An observer of ours threw. */
  threw(error: unknown): void;
}

/** A call that the worker holds. */
export interface HeldCall {
  /** The worker has ticked. */
  doorbell(): void;
}

/** Main's end of one engine worker. */
export class WorkerLink {
  readonly threadId: number;
  readonly stats: EngineStats;
  readonly calls = new Set<HeldCall>();
  /** Set when the worker was stopped because its clock stood still. */
  stalled = false;
  readonly #port: MessagePort;
  readonly #host: WorkerLinkHost;

  constructor(ready: WorkerReady, host: WorkerLinkHost) {
    this.threadId = ready.threadId;
    this.stats = new EngineStats(ready.stats);
    this.#port = ready.port;
    this.#host = host;
    this.#port.on('message', (message: number | Event | Reply) => {
      if (typeof message === 'number') this.#doorbell();
      else this.#guard(() => host.received(message, this));
    });
    this.#port.on('close', () => host.gone(this));
    this.#port.unref();
  }

  post(command: Command): void {
    this.#port.postMessage(command);
  }

  #doorbell(): void {
    for (const call of this.calls) this.#guard(() => call.doorbell());
  }

  /** What one call's observer throws must not keep the others from being served. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#host.threw(error);
    }
  }
}
