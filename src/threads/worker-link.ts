import type { MessagePort } from 'node:worker_threads';
import { SLOTS } from '../base/frame.ts';
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
  /** The call has had its tick. */
  doorbell(): void;
}

/** Main's end of one engine worker. */
export class WorkerLink {
  readonly threadId: number;
  readonly stats: EngineStats;
  readonly #calls: readonly Set<HeldCall>[] = Array.from({ length: SLOTS }, () => new Set());
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
      if (typeof message === 'number') this.#doorbell(message);
      else this.#received(message);
    });
    this.#port.on('close', () => host.gone(this));
    this.#port.unref();
  }

  get callCount(): number {
    return this.#calls.reduce((count, calls) => count + calls.size, 0);
  }

  /** From now on the call hears the doorbell of its slot. */
  hold(call: HeldCall, slot: number): void {
    this.#calls[slot]?.add(call);
  }

  release(call: HeldCall, slot: number): void {
    this.#calls[slot]?.delete(call);
  }

  post(command: Command): void {
    this.#port.postMessage(command);
  }

  /** What one call's observer throws must not keep the others from being served. */
  #doorbell(slot: number): void {
    for (const call of this.#calls[slot] ?? []) {
      try {
        call.doorbell();
      } catch (error) {
        this.#host.threw(error);
      }
    }
  }

  #received(message: Event | Reply): void {
    try {
      this.#host.received(message, this);
    } catch (error) {
      this.#host.threw(error);
    }
  }
}
