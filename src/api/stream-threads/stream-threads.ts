import { type Accepting, loadAccepting } from '../../native/acceptor.ts';
import { MoveLimit } from '../../threads/move-limit.ts';
import type { MediaIoChoice } from '../../threads/protocol.ts';
import { Supervisor } from '../../threads/supervisor.ts';
import type { ServerHandlers, SocketThreads } from '../http/server-library.ts';
import { StreamThread, type StreamThreadHost } from './stream-thread.ts';
import type { StreamThreadOptions } from './thread-protocol.ts';

/** The start of a handshake of a call WebSocket; the call's id. */
const HANDSHAKE = /^GET \/api\/call\/([^/?# ]+)\/stream\/?[? ]/;
const UPGRADE = /\r\nupgrade:[ \t]*websocket[ \t]*\r\n/i;

export interface StreamThreadsOptions {
  readonly threads: number;
  readonly mediaIo: MediaIoChoice;
  /** A thread that stalls for this long is replaced. */
  readonly stallMs: number;
  /** The share of each thread. */
  readonly playout: StreamThreadOptions['playout'];
  readonly observer: StreamThreadsObserver;
  readonly workerUrl?: URL;
}

export interface StreamThreadsObserver {
  threadLost(id: number, stalled: boolean): void;
  playoutFull(): void;
  fault(error: unknown): void;
}

/**
 * The threads of call WebSockets. Each starts with its first connection. All connections of a call go to the same one, so
 * that what is limited per call is limited there.
 */
export class StreamThreads implements SocketThreads, StreamThreadHost {
  readonly prefix = 'GET /api/call/';
  readonly #accepting: Accepting;
  readonly #options: StreamThreadsOptions;
  readonly #threads: (StreamThread | null)[];
  readonly #losses: readonly MoveLimit[];
  readonly #supervisor: Supervisor<StreamThread>;
  #handlers: ServerHandlers | null = null;
  #onSpent: (of: string) => void = () => {};
  #lastId = 0;
  #lost = 0;
  #droppedSlow = 0;
  #droppedFull = 0;
  #cpuMs = 0;
  #isClosing = false;

  /** Returns the reason when this machine cannot have them. */
  static open(options: StreamThreadsOptions): StreamThreads | string {
    const accepting = loadAccepting();
    return typeof accepting === 'string' ? accepting : new StreamThreads(accepting, options);
  }

  private constructor(accepting: Accepting, options: StreamThreadsOptions) {
    this.#accepting = accepting;
    this.#options = options;
    this.#threads = Array.from({ length: options.threads }, () => null);
    this.#losses = Array.from({ length: options.threads }, () => new MoveLimit());
    this.#supervisor = new Supervisor(options.stallMs, (thread) => thread.terminate());
  }

  /** How many there may be. */
  get most(): number {
    return this.#threads.length;
  }

  get handlers(): ServerHandlers {
    if (this.#handlers === null) throw new Error('no connection comes before the server listens');
    return this.#handlers;
  }

  report() {
    const live = this.#threads.flatMap((thread) => (thread === null ? [] : [thread.figures.read()]));
    const sum = (of: (figures: (typeof live)[number]) => number) =>
      live.reduce((total, figures) => total + of(figures), 0);
    return {
      threads: live.length,
      lost: this.#lost,
      cpuSeconds: (this.#cpuMs + sum(({ cpuMs }) => cpuMs)) / 1_000,
      sockets: sum(({ sockets }) => sockets),
      unreadBytes: sum(({ unreadBytes }) => unreadBytes),
      droppedSlow: this.#droppedSlow + sum(({ droppedSlow }) => droppedSlow),
      droppedFull: this.#droppedFull + sum(({ droppedFull }) => droppedFull),
    };
  }

  get pressure() {
    return this.report();
  }

  serve(handlers: ServerHandlers, onSpent: (of: string) => void): void {
    this.#handlers = handlers;
    this.#onSpent = onSpent;
  }

  take(descriptor: number, head: string): boolean {
    const callId = HANDSHAKE.exec(head)?.[1];
    if (callId === undefined || !UPGRADE.test(head) || this.#isClosing) return false;
    const thread = this.#threadAt(hashOf(callId) % this.#threads.length);
    thread?.connect(descriptor);
    return thread !== null;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#supervisor.close();
    await Promise.all(this.#threads.map((thread) => thread?.stop()));
  }

  spent(of: string): void {
    this.#onSpent(of);
  }

  playoutFull(): void {
    this.#options.observer.playoutFull();
  }

  fault(error: unknown): void {
    this.#options.observer.fault(error);
  }

  closeDescriptor(descriptor: number): void {
    this.#accepting.closeDescriptor(descriptor);
  }

  ready(thread: StreamThread): void {
    if (!this.#isClosing) this.#supervisor.watch(thread);
  }

  gone(thread: StreamThread): void {
    const { droppedSlow, droppedFull, cpuMs } = thread.figures.read();
    this.#cpuMs += cpuMs;
    this.#droppedSlow += droppedSlow;
    this.#droppedFull += droppedFull;
    const index = this.#threads.indexOf(thread);
    this.#threads[index] = null;
    this.#supervisor.forget(thread);
    if (this.#isClosing) return;
    this.#lost += 1;
    this.#losses[index]?.note();
    this.#options.observer.threadLost(thread.id, thread.stalled);
  }

  /** Null while the thread fails again and again: the main thread then takes its connections. */
  #threadAt(index: number): StreamThread | null {
    if (this.#losses[index]?.isReached) return null;
    this.#threads[index] ??= this.#start();
    return this.#threads[index];
  }

  #start(): StreamThread {
    this.#lastId += 1;
    const { workerUrl = new URL('./stream.worker.ts', import.meta.url), mediaIo, playout } = this.#options;
    return new StreamThread(workerUrl, { id: this.#lastId, mediaIo, playout }, this);
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
