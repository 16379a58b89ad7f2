import { Piscina } from 'piscina';
import { GatewayError } from '../base/errors.ts';
import { CallLink, type CallLinkHost } from './call-link.ts';
import type { EngineCall, EngineCallObserver } from './engine-call.ts';
import { addEngineNumbers, type EngineNumbers, EngineStats } from './engine-stats.ts';
import {
  type CallOutcome,
  type CallPlacement,
  type Event,
  type MediaIoChoice,
  type Reply,
  toWireError,
  type WireError,
  type WorkerReady,
} from './protocol.ts';
import { Supervisor } from './supervisor.ts';
import { WorkerLink, type WorkerLinkHost } from './worker-link.ts';

export type { AgentAudio, AgentAudioObserver } from './agent-link.ts';
export type { EngineCall, EngineCallObserver } from './engine-call.ts';

const START_DEADLINE_MS = 15_000;
/** More threads than this are never started, whatever the calls ask for. */
const MAX_THREADS = 1_024;
const EXTRA_THREAD_IDLE_MS = 30_000;
/** Three times V8's semi-space, which would grow to 16 MB; a tick leaves next to no garbage. */
const YOUNG_GENERATION_MB = 6;
/** A fresh thread takes some 150 ms; calls must have audio again within 500 ms. */
const MAX_WAIT_FOR_FRESH_MS = 300;

export interface EngineOptions {
  /** Threads kept ready. */
  readonly threads: number;
  /** Calls on one thread; when all threads are full, more threads are started. Null: no limit. */
  readonly callsPerThread: number | null;
  /** A worker whose clock stands still for so long is stopped and its calls are moved. */
  readonly stallMs: number;
  /** How the threads do their media I/O; `auto`: native where that was built. */
  readonly mediaIo?: MediaIoChoice;
  readonly observer: EngineObserver;
  /** Module of the worker; a test puts its own composition root here. */
  readonly workerUrl?: URL;
}

/** What happens to the engine as a whole, for logs and metrics. */
export interface EngineObserver {
  workerReady(threadId: number): void;
  /** `stalled`: it was stopped because its clock stood still; otherwise it died. `calls` were on it. */
  workerLost(threadId: number, stalled: boolean, calls: number): void;
  callMoved(callId: string, reason: string): void;
  callFailed(callId: string, error: WireError): void;
  /** A bug that belongs to no call. */
  fault(error: WireError): void;
}

export interface WorkerReport {
  readonly threadId: number;
  readonly numbers: EngineNumbers;
  /** Which libopus it uses; null: it has not needed any. */
  readonly opusLibrary: string | null;
}

/** Figures of the whole engine: `total` includes threads that are gone. */
export interface EngineReport {
  readonly total: EngineNumbers;
  readonly workers: readonly WorkerReport[];
}

/** The media half of the gateway: places calls on worker threads and keeps them there. */
export class Engine implements CallLinkHost, WorkerLinkHost {
  readonly #pool: Piscina<CallPlacement, CallOutcome>;
  readonly #observer: EngineObserver;
  readonly #supervisor: Supervisor;
  readonly #workers = new Set<WorkerLink>();
  readonly #calls = new Map<string, CallLink>();
  readonly #threads: number;
  #started: (() => void) | null = null;
  #retired: EngineNumbers = new EngineStats().read();
  #lastCallNumber = 0;
  #fresh: PromiseWithResolvers<void> | null = null;
  #closing = false;

  /** Resolves when the threads run or `close` came first; rejects, with nothing left running, after 15 s without. */
  readonly ready: Promise<void>;

  /** Starts the threads and waits for them. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.ready;
    return engine;
  }

  /** Starts the threads without waiting for them: calls that are placed before they are `ready` wait. */
  constructor(options: EngineOptions) {
    this.#observer = options.observer;
    this.#threads = options.threads;
    this.#supervisor = new Supervisor(options.stallMs, (worker) => this.#terminate(worker));
    this.#pool = new Piscina({
      filename: (options.workerUrl ?? new URL('../engine/engine.worker.ts', import.meta.url)).href,
      name: 'holdCall',
      // With atomics a worker would sleep in Atomics.wait between tasks, and its clock with it.
      atomics: 'disabled',
      minThreads: options.threads,
      maxThreads: options.callsPerThread === null ? options.threads : MAX_THREADS,
      concurrentTasksPerWorker: options.callsPerThread ?? Number.MAX_SAFE_INTEGER,
      idleTimeout: EXTRA_THREAD_IDLE_MS,
      recordTiming: false,
      workerData: options.mediaIo ?? 'auto',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#pool.on('message', (message: WorkerReady) => this.#workerReady(message));
    this.#pool.on('workerCreate', () => this.#freshReady());
    this.#pool.on('error', (error) => this.#observer.fault(toWireError(error)));
    this.ready = this.#awaitThreads();
  }

  /** Takes a call in; it runs nowhere until its media is opened. */
  place(callId: string, observer: EngineCallObserver): EngineCall {
    const call = new CallLink(callId, this, observer);
    this.#calls.set(callId, call);
    return call;
  }

  report(): EngineReport {
    const workers = [...this.#workers].map(({ threadId, stats }) => ({
      threadId,
      numbers: stats.read(),
      opusLibrary: stats.opusLibrary,
    }));
    const total = workers.reduce((sum, { numbers }) => addEngineNumbers(sum, numbers), this.#retired);
    return { total, workers };
  }

  /** Ends every call, within `deadlineMs`, and then the threads. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#started?.();
    this.#supervisor.close();
    const late = Promise.withResolvers<void>();
    const deadline = setTimeout(late.resolve, deadlineMs);
    await Promise.race([Promise.all([...this.#calls.values()].map((call) => call.close())), late.promise]);
    clearTimeout(deadline);
    await this.#pool.destroy();
  }

  nextCallNumber(): number {
    this.#lastCallNumber = (this.#lastCallNumber % 0x7fff_ffff) + 1;
    return this.#lastCallNumber;
  }

  async run(placement: CallPlacement, again: boolean): Promise<CallOutcome> {
    if (again) await this.#freshThread();
    return this.#pool.run(placement);
  }

  moved(callId: string, reason: string): void {
    this.#observer.callMoved(callId, reason);
  }

  failed(callId: string, error: WireError): void {
    this.#observer.callFailed(callId, error);
  }

  left(call: CallLink): void {
    this.#calls.delete(call.callId);
  }

  received(message: Event | Reply, worker: WorkerLink): void {
    if (message.type === 'worker.fault') {
      this.#observer.fault(message.error);
      return;
    }
    const { callId } = message;
    const call = this.#calls.get(callId);
    if (call !== undefined) call.received(message, worker);
    // Its owner waited for the close no longer than the deadline; nobody else would ever end it.
    else if (message.type === 'call.placed') worker.post({ type: 'call.close', callId });
  }

  threw(error: unknown): void {
    this.#observer.fault(toWireError(error));
  }

  gone(worker: WorkerLink): void {
    this.#supervisor.forget(worker);
    this.#workers.delete(worker);
    this.#retired = addEngineNumbers(this.#retired, {
      ...worker.stats.read(),
      calls: 0,
      agent_legs: 0,
      native_io_threads: 0,
    });
    if (!this.#closing) this.#observer.workerLost(worker.threadId, worker.stalled, worker.callCount);
  }

  async #awaitThreads(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void =>
      reject(new GatewayError('not_ready', 'The engine threads did not start in time'));
    const deadline = setTimeout(late, START_DEADLINE_MS);
    this.#started = resolve;
    try {
      await promise;
    } catch (error) {
      await this.close(0);
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  #workerReady(ready: WorkerReady): void {
    const worker = new WorkerLink(ready, this);
    this.#workers.add(worker);
    this.#supervisor.watch(worker);
    this.#observer.workerReady(worker.threadId);
    if (this.#workers.size >= this.#threads) this.#started?.();
  }

  /**
   * Waits for the thread that replaces a lost one, because calls that all move at once would disturb the ticks of
   * threads that have calls already. The pool gives them to the emptiest thread.
   */
  #freshThread(): Promise<void> {
    if (this.#fresh !== null) return this.#fresh.promise;
    const fresh = Promise.withResolvers<void>();
    this.#fresh = fresh;
    setTimeout(() => {
      if (this.#fresh === fresh) this.#freshReady();
    }, MAX_WAIT_FOR_FRESH_MS).unref();
    return fresh.promise;
  }

  #freshReady(): void {
    this.#fresh?.resolve();
    this.#fresh = null;
  }

  #terminate(worker: WorkerLink): void {
    void this.#pool.threads.find(({ threadId }) => threadId === worker.threadId)?.terminate();
  }
}
