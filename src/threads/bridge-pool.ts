import { Piscina } from 'piscina';
import { GatewayError, Overloaded } from '../base/errors.ts';
import type { Bridges, OpenedTransport, TransportObserver, TransportProtocol } from '../media/transport.ts';
import { newPacketRings, newPcmRings } from '../rings/bridge-rings.ts';
import type { BridgeReady, BridgeStart, TransportOutcome, TransportPlacement } from './bridge-protocol.ts';
import { closedWithin } from './closed-within.ts';
import { type MediaIoChoice, toWireError, type WireError } from './protocol.ts';
import { type Supervised, Supervisor } from './supervisor.ts';
import { TransportLink, type TransportLinkHost, type TransportOpening } from './transport-link.ts';

const STALL_MS = 2_000;
/**
 * A lost thread takes this many transports along at most. Each of more threads costs wake-ups, so there is a second one
 * only when the first is full. From then on piscina places each transport on the thread that has the fewest.
 */
const TRANSPORTS_PER_THREAD = 100;
/** More than two transports for each call that has ports for RTP: one for its platform, one for its speech. */
const MAX_THREADS = 1_024;
const IDLE_MS = 30_000;
/** Lowers the priority of bridge threads below that of calls: a thread that spins gets a quarter of a core, not half. */
const NICE = 5;
/** A transport that leaks takes its thread along long before it takes the process. */
const MAX_HEAP_MB = 256;

export interface BridgePoolOptions {
  readonly observer: BridgeObserver;
  /** Stall timeout: a thread whose heartbeat stands still this long is stopped. */
  readonly stallMs?: number;
  /** As of the engine. */
  readonly mediaIo?: MediaIoChoice;
  /** See BridgeStart; true by default. */
  readonly neuralVoice?: boolean;
  /** Worker module; tests pass their own composition root. */
  readonly workerUrl?: URL;
}

/** Receives events of the bridge threads for logs and metrics. */
export interface BridgeObserver {
  /** A transport of this kind lost its thread. `resumed`: it is placed on another one. */
  transportLost(kind: string, reason: string, resumed: boolean): void;
  /** A thread is stopped because its heartbeat stood still. */
  threadStalled(threadId: number): void;
  fault(error: WireError): void;
}

/** A bridge thread, as seen by the supervisor. */
class BridgeThread implements Supervised {
  readonly threadId: number;
  stalled = false;
  readonly #beats: Int32Array;

  constructor({ threadId, heartbeat }: BridgeReady) {
    this.threadId = threadId;
    this.#beats = new Int32Array(heartbeat);
  }

  get heartbeat(): number {
    return Atomics.load(this.#beats, 0);
  }
}

/** The bridge threads: a pool that is created with the first transport. Each task holds one transport. */
export class BridgePool implements Bridges, TransportLinkHost {
  readonly pcmRings = newPcmRings;
  readonly packetRings = newPacketRings;
  readonly #options: BridgePoolOptions;
  readonly #transports = new Set<TransportLink>();
  readonly #threads = new Set<BridgeThread>();
  #pool: Piscina<TransportPlacement, TransportOutcome> | null = null;
  #supervisor: Supervisor<BridgeThread> | null = null;
  #tasks = 0;
  /** Resolved and replaced whenever a thread or a task has come or gone. */
  #changed = Promise.withResolvers<void>();
  #droppedSignals = 0;
  #resumedTransports = 0;
  #lostTransports = 0;
  #isClosing = false;

  constructor(options: BridgePoolOptions) {
    this.#options = options;
  }

  /**
   * Figures for metrics. `transports` are those that take up a place on a thread; `resumedTransports` and
   * `lostTransports` count those that lost their thread.
   */
  report() {
    const live = [...this.#transports].reduce((sum, { droppedSignals }) => sum + droppedSignals, 0);
    return {
      threads: this.#threads.size,
      transports: this.#tasks,
      opening: [...this.#transports].filter(({ isOpening }) => isOpening).length,
      droppedSignals: this.#droppedSignals + live,
      resumedTransports: this.#resumedTransports,
      lostTransports: this.#lostTransports,
    };
  }

  async open<Open, Commands, Signal>(
    protocol: TransportProtocol<Open, Commands, Signal>,
    open: Open,
    observer: TransportObserver<Signal>,
  ): Promise<OpenedTransport<Commands>> {
    if (this.#isClosing) throw new GatewayError('not_ready');
    if (this.#transports.size >= MAX_THREADS * TRANSPORTS_PER_THREAD) throw new Overloaded();
    // The protocol guarantees the types of what its own transport reports and returns.
    const opening = { protocol, open, observer } as TransportOpening;
    const transport = new TransportLink(opening, this);
    this.#transports.add(transport);
    await transport.start();
    return transport as unknown as OpenedTransport<Commands>;
  }

  /** Closes all transports, waiting at most `deadlineMs`, and then stops the threads. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await closedWithin(
      deadlineMs,
      [...this.#transports].map((transport) => transport.close()),
    );
    this.#supervisor?.close();
    await this.#pool?.destroy();
  }

  async run(placement: TransportPlacement): Promise<TransportOutcome> {
    this.#pool ??= this.#newPool();
    // Piscina would start a thread for every task that comes while one is starting.
    while (this.#isFull && this.#isStarting) await this.#changed.promise;
    if (this.#isClosing) throw new GatewayError('not_ready');
    this.#tasks++;
    try {
      return await this.#pool.run(placement, { transferList: [placement.port] });
    } finally {
      this.#tasks--;
      this.#wake();
    }
  }

  ended(transport: TransportLink): void {
    this.#droppedSignals += transport.droppedSignals;
    this.#transports.delete(transport);
  }

  threadLost(kind: string, reason: string, resumed: boolean): void {
    if (this.#isClosing) return;
    if (resumed) this.#resumedTransports++;
    else this.#lostTransports++;
    this.#options.observer.transportLost(kind, reason, resumed);
  }

  threw(error: unknown): void {
    this.#options.observer.fault(toWireError(error));
  }

  /** Threads that take tasks. The tasks of a lost thread fail before its lifeline closes. */
  get #usableThreads(): number {
    const alive = new Set(this.#pool?.threads.map(({ threadId }) => threadId));
    return [...this.#threads].filter(({ threadId }) => alive.has(threadId)).length;
  }

  get #isFull(): boolean {
    return this.#tasks >= this.#usableThreads * TRANSPORTS_PER_THREAD;
  }

  get #isStarting(): boolean {
    return (this.#pool?.threads.length ?? 0) > this.#usableThreads;
  }

  /** Lets waiting tasks look again. */
  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  #newPool(): Piscina<TransportPlacement, TransportOutcome> {
    const { workerUrl, stallMs, mediaIo = 'auto', neuralVoice = true } = this.#options;
    const workerData: BridgeStart = { mediaIo, neuralVoice };
    this.#supervisor = new Supervisor(stallMs ?? STALL_MS, (thread) => this.#terminate(thread));
    const pool = new Piscina<TransportPlacement, TransportOutcome>({
      filename: (workerUrl ?? new URL('../bridge/bridge.worker.ts', import.meta.url)).href,
      name: 'holdTransport',
      // With atomics, an idle worker would block in Atomics.wait between tasks, and its heartbeat would stop.
      atomics: 'disabled',
      minThreads: 0,
      maxThreads: MAX_THREADS,
      concurrentTasksPerWorker: TRANSPORTS_PER_THREAD,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      workerData,
      niceIncrement: NICE,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    pool.on('message', (ready: BridgeReady) => this.#ready(ready));
    pool.on('workerDestroy', () => this.#wake());
    pool.on('error', (error) => this.threw(error));
    return pool;
  }

  #ready(ready: BridgeReady): void {
    const thread = new BridgeThread(ready);
    this.#threads.add(thread);
    this.#wake();
    this.#supervisor?.watch(thread);
    ready.lifeline.on('close', () => this.#gone(thread));
    ready.lifeline.unref();
  }

  #terminate(thread: BridgeThread): void {
    this.#options.observer.threadStalled(thread.threadId);
    void this.#pool?.threads.find(({ threadId }) => threadId === thread.threadId)?.terminate();
  }

  #gone(thread: BridgeThread): void {
    this.#threads.delete(thread);
    this.#supervisor?.forget(thread);
  }
}
