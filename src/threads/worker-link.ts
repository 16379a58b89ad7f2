import type { MessagePort } from 'node:worker_threads';
import { SLOTS } from '../base/frame.ts';
import { Doorbell } from '../rings/doorbell.ts';
import { EngineStats } from './engine-stats.ts';
import type { Command, Event, Reply, WorkerReady } from './protocol.ts';

/** Receives the messages of a worker's port. */
export interface WorkerLinkHost {
  received(message: Event | Reply, worker: WorkerLink): void;
  gone(worker: WorkerLink): void;
  /** An observer on the main thread threw. */
  threw(error: unknown): void;
}

/** A call on the worker. */
export interface HeldCall {
  /** The call has ticked. */
  doorbell(): void;
}

/** The main thread's end of one engine worker. */
export class WorkerLink {
  readonly threadId: number;
  readonly stats: EngineStats;
  readonly #calls: readonly Set<HeldCall>[] = Array.from({ length: SLOTS }, () => new Set());
  /** Set when the worker was stopped because its clock stood still. */
  stalled = false;
  readonly #port: MessagePort;
  readonly #ticked: Doorbell;
  readonly #host: WorkerLinkHost;

  constructor(ready: WorkerReady, host: WorkerLinkHost) {
    this.threadId = ready.threadId;
    this.stats = new EngineStats(ready.stats);
    this.#port = ready.port;
    this.#host = host;
    this.#ticked = new Doorbell(ready.ticked);
    this.#ticked.listen((slots) => this.#tickedIn(slots));
    this.#port.on('message', (message: Event | Reply) => this.#received(message));
    this.#port.on('close', () => this.#gone());
    this.#port.unref();
  }

  get heartbeat(): number {
    return this.stats.heartbeat;
  }

  get callCount(): number {
    return this.#calls.reduce((count, calls) => count + calls.size, 0);
  }

  /** Tells the call from now on when its slot has ticked. */
  hold(call: HeldCall, slot: number): void {
    this.#calls[slot]?.add(call);
  }

  release(call: HeldCall, slot: number): void {
    this.#calls[slot]?.delete(call);
  }

  post(command: Command): void {
    this.#port.postMessage(command);
  }

  #tickedIn(slots: number): void {
    for (let slot = 0; slot < SLOTS; slot++) if ((slots & (1 << slot)) !== 0) this.#ring(slot);
  }

  /** Rings all calls of the slot. An exception from one call's observer must not keep the others from being served. */
  #ring(slot: number): void {
    for (const call of this.#calls[slot] ?? []) {
      try {
        call.doorbell();
      } catch (error) {
        this.#host.threw(error);
      }
    }
  }

  #gone(): void {
    this.#ticked.stop();
    this.#host.gone(this);
  }

  #received(message: Event | Reply): void {
    try {
      this.#host.received(message, this);
    } catch (error) {
      this.#host.threw(error);
    }
  }
}
