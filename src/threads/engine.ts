import { Piscina } from 'piscina';
import { GatewayError } from '../base/errors.ts';
import { CallLink, type CallLinkHost, type EngineCall, type EngineCallObserver } from './call-link.ts';
import { closedWithin } from './closed-within.ts';
import { addEngineNumbers, type EngineNumbers, EngineStats } from './engine-stats.ts';
import {
  type CallOutcome,
  type CallPlacement,
  type EngineThreadOptions,
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
export type { AgentEnd, AgentRings, AgentSeat } from './agent-seat.ts';
export type { EngineCall, EngineCallObserver } from './call-link.ts';
export type { AudioReport } from './protocol.ts';

const START_DEADLINE_MS = 15_000;
/** Upper limit on threads, however many calls there are. */
const MAX_THREADS = 1_024;
const EXTRA_THREAD_IDLE_MS = 30_000;
/** Three semi-spaces of 2 MB. V8 would let each grow to 16 MB, but a tick leaves almost no garbage. */
const YOUNG_GENERATION_MB = 6;
/**
 * Longest wait for a replacement thread. Starting one takes about 150 ms; moved calls need audio again within 500 ms.
 */
const MAX_WAIT_FOR_FRESH_MS = 300;

export interface EngineOptions {
  /** Number of threads kept running. */
  readonly threads: number;
  /** Maximum calls per thread. When all threads are full, more are started. Null: no limit. */
  readonly callsPerThread: number | null;
  /** Stall timeout: a worker whose clock stands still this long is stopped and its calls are moved. */
  readonly stallMs: number;
  /** How the threads do media I/O; `auto` uses the native module where it is built. */
  readonly mediaIo?: MediaIoChoice;
  /** The most that jitter buffers aim at; 400 ms by default. */
  readonly maxJitterDelayMs?: number;
  readonly observer: EngineObserver;
  /** Worker module; tests pass their own composition root. */
  readonly workerUrl?: URL;
}

/** Receives engine-wide events for logs and metrics. */
export interface EngineObserver {
  workerReady(threadId: number): void;
  /**
   * A worker was lost with `calls` calls on it. `stalled`: it was stopped because its clock stood still; otherwise it
   * died.
   */
  workerLost(threadId: number, stalled: boolean, calls: number): void;
  callMoved(callId: string, reason: string): void;
  callFailed(callId: string, error: WireError): void;
  /** An error that belongs to no call. */
  fault(error: WireError): void;
}

export interface WorkerReport {
  readonly threadId: number;
  readonly numbers: EngineNumbers;
  /** Name of the libopus in use; null when the worker has not needed one. */
  readonly opusLibrary: string | null;
}

/** Figures of the whole engine. `total` includes threads that have ended. */
export interface EngineReport {
  readonly total: EngineNumbers;
  readonly workers: readonly WorkerReport[];
}

/** The media engine: places calls on worker threads and moves them when a thread is lost. */
export class Engine implements CallLinkHost, WorkerLinkHost {
  readonly #pool: Piscina<CallPlacement, CallOutcome>;
  readonly #observer: EngineObserver;
  readonly #supervisor: Supervisor<WorkerLink>;
  readonly #workers = new Set<WorkerLink>();
  readonly #calls = new Map<string, CallLink>();
  readonly #threads: number;
  #started: (() => void) | null = null;
  #retired: EngineNumbers = new EngineStats().read();
  #lastCallNumber = 0;
  #fresh: PromiseWithResolvers<void> | null = null;
  #closing = false;

  /**
   * Resolves when the threads are running or `close` is called first. Rejects with `not_ready` after 15 s, with all
   * threads stopped.
   */
  readonly ready: Promise<void>;

  /** Starts the threads and waits until they are ready. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.ready;
    return engine;
  }

  /** Starts the threads without waiting. Calls placed before `ready` resolves are queued. */
  constructor(options: EngineOptions) {
    this.#observer = options.observer;
    this.#threads = options.threads;
    this.#supervisor = new Supervisor(options.stallMs, (worker) => this.#terminate(worker));
    this.#pool = new Piscina({
      filename: (options.workerUrl ?? new URL('../engine/engine.worker.ts', import.meta.url)).href,
      name: 'holdCall',
      // With atomics, an idle worker would block in Atomics.wait between tasks, and its clock would stop.
      atomics: 'disabled',
      minThreads: options.threads,
      maxThreads: options.callsPerThread === null ? options.threads : MAX_THREADS,
      concurrentTasksPerWorker: options.callsPerThread ?? Number.MAX_SAFE_INTEGER,
      idleTimeout: EXTRA_THREAD_IDLE_MS,
      recordTiming: false,
      workerData: {
        mediaIo: options.mediaIo ?? 'auto',
        maxJitterDelayMs: options.maxJitterDelayMs,
      } satisfies EngineThreadOptions,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#pool.on('message', (message: WorkerReady) => this.#workerReady(message));
    this.#pool.on('workerCreate', () => this.#freshReady());
    this.#pool.on('error', (error) => this.#observer.fault(toWireError(error)));
    this.ready = this.#awaitThreads();
  }

  /** Registers a call. It runs on no thread until its media is opened. */
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

  /** Ends all calls, waiting at most `deadlineMs`, and then stops the threads. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#started?.();
    this.#supervisor.close();
    await closedWithin(
      deadlineMs,
      [...this.#calls.values()].map((call) => call.close()),
    );
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
    // The call has already ended here, after its close deadline. Without this, it would stay on the worker for good.
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
   * Waits for the thread that replaces a lost one; the pool then places calls on the emptiest thread. Moving all calls
   * at once to threads in use would disturb the ticks of the calls there.
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
