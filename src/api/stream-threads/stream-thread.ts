import { Worker } from 'node:worker_threads';
import { unreachable } from '../../base/assert.ts';
import type { Supervised } from '../../threads/supervisor.ts';
import type { RequestHead } from '../http/request/request-head.ts';
import type { ServerHandlers } from '../http/server-library.ts';
import type { OpenSocket, SocketWire } from '../http/socket/open-socket.ts';
import type { AudioBegins, ToAudio } from '../stream/audio-halves.ts';
import { RemoteResponder } from './remote-responder.ts';
import { ThreadFigures } from './thread-figures.ts';
import type { AskedRequest, FromThread, StreamThreadOptions, ToThread } from './thread-protocol.ts';

/** WebSocket close code (RFC 6455, section 7.4.1). */
const ABNORMAL_CLOSURE = 1006;
/** Messages of a socket that are confirmed together. */
const TAKEN_AT_ONCE = 32;
/** As much as an engine thread has: what lives briefly is collected before it grows old. */
const YOUNG_GENERATION_MB = 16;
const START_DEADLINE_MS = 30_000;

export interface StreamThreadHost {
  readonly handlers: ServerHandlers;
  /** A connection was closed because it had sent too much, of this last. */
  spent(of: string): void;
  playoutFull(): void;
  fault(error: unknown): void;
  closeDescriptor(descriptor: number): void;
  ready(thread: StreamThread): void;
  /** All connections of the thread are closed. */
  gone(thread: StreamThread): void;
}

interface RemoteSocket {
  readonly socket: OpenSocket;
  /** Messages that the thread has not been told of. */
  taken: number;
}

/** The main thread's end of one stream thread: answers its requests, and has the other half of its WebSockets. */
export class StreamThread implements Supervised {
  readonly id: number;
  readonly figures = new ThreadFigures();
  stalled = false;
  readonly #host: StreamThreadHost;
  readonly #worker: Worker;
  readonly #sockets = new Map<number, RemoteSocket>();
  /** Connections that the thread has not taken over yet. */
  readonly #handedOver = new Set<number>();
  readonly #startDeadline = setTimeout(() => this.terminate(), START_DEADLINE_MS).unref();
  readonly #ended = Promise.withResolvers<void>();
  readonly #post = (message: ToThread): void => this.#worker.postMessage(message);

  constructor(url: URL, options: Omit<StreamThreadOptions, 'figures'>, host: StreamThreadHost) {
    this.id = options.id;
    this.#host = host;
    this.#worker = new Worker(url, {
      name: 'streams',
      workerData: { ...options, figures: this.figures.memory } satisfies StreamThreadOptions,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (message: FromThread) => this.#received(message));
    this.#worker.on('error', (error) => host.fault(error));
    this.#worker.once('exit', () => this.#gone());
    this.#worker.unref();
  }

  get heartbeat(): number {
    return this.figures.heartbeat;
  }

  connect(descriptor: number): void {
    this.#handedOver.add(descriptor);
    this.#post({ type: 'connection', descriptor });
  }

  terminate(): void {
    void this.#worker.terminate();
  }

  /** Closes all connections. Resolves when the thread has ended. */
  stop(): Promise<void> {
    this.#post({ type: 'stop' });
    return this.#ended.promise;
  }

  #received(message: FromThread): void {
    try {
      this.#handle(message);
    } catch (error) {
      this.#host.fault(error);
    }
  }

  #handle(message: FromThread): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#startDeadline);
        return this.#host.ready(this);
      case 'adopted':
        this.#handedOver.delete(message.descriptor);
        return;
      case 'asked':
        return this.#answer(message);
      case 'opened':
        return this.#opened(message.id);
      case 'text':
        return this.#take(message.id, (socket) => socket.receive(bytesOf(message.text), false));
      case 'half':
        return this.#take(message.id, (socket) => socket.fromHalf(message.message));
      case 'closed':
        return this.#closed(message.id, message.code, message.reason);
      case 'spent':
        return this.#host.spent(message.of);
      case 'playout_full':
        return this.#host.playoutFull();
      case 'fault':
        return this.#host.fault(message.error);
      default:
        return unreachable(message);
    }
  }

  #answer(asked: AskedRequest): void {
    const { id, kind, address } = asked;
    const { handlers } = this.#host;
    const head = headOf(asked);
    const responder = new RemoteResponder(id, address, this.#post);
    if (kind !== 'handshake') return handlers[kind](head, responder);
    const handshake = handlers.handshake(head, responder);
    if (handshake === null) return;
    const { socket, requestId } = handshake;
    const { accountId } = socket;
    // The path is that of call WebSockets only.
    const begins = socket.beginHalf() as AudioBegins;
    this.#sockets.set(id, { socket, taken: 0 });
    this.#post({ type: 'accepted', id, requestId, accountId, begins });
  }

  #opened(id: number): void {
    const remote = this.#sockets.get(id);
    if (remote !== undefined) this.#host.handlers.opened(remote.socket, new RemoteWire(id, this.#post));
  }

  #take(id: number, take: (socket: OpenSocket) => void): void {
    const remote = this.#sockets.get(id);
    if (remote === undefined) return;
    take(remote.socket);
    remote.taken += 1;
    if (remote.taken < TAKEN_AT_ONCE) return;
    this.#post({ type: 'taken', id, count: remote.taken });
    remote.taken = 0;
  }

  #closed(id: number, code: number, reason: string): void {
    const remote = this.#sockets.get(id);
    this.#sockets.delete(id);
    if (remote !== undefined) this.#host.handlers.closed(remote.socket, code, reason);
  }

  #gone(): void {
    clearTimeout(this.#startDeadline);
    for (const descriptor of this.#handedOver) this.#host.closeDescriptor(descriptor);
    for (const id of [...this.#sockets.keys()]) this.#closed(id, ABNORMAL_CLOSURE, '');
    this.#host.gone(this);
    this.#ended.resolve();
  }
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text)).buffer;
}

function headOf({ method, url, query, headers }: AskedRequest): RequestHead {
  return {
    getMethod: () => method,
    getUrl: () => url,
    getQuery: () => query,
    getHeader: (name) => headers.get(name) ?? '',
  };
}

/** What the library would have answered. The thread's library knows better, and its half acts on it. */
const SENT = 1;

/** A WebSocket of the thread, for the half of its handler on the main thread. */
class RemoteWire implements SocketWire {
  readonly #id: number;
  readonly #post: (message: ToThread) => void;

  constructor(id: number, post: (message: ToThread) => void) {
    this.#id = id;
    this.#post = post;
  }

  send(message: string | Uint8Array): number {
    if (typeof message === 'string') this.#post({ type: 'text', id: this.#id, text: message });
    return SENT;
  }

  ping(): void {}

  cork(send: () => void): void {
    send();
  }

  getBufferedAmount(): number {
    return 0;
  }

  end(code: number, reason: string): void {
    this.#post({ type: 'end', id: this.#id, code, reason });
  }

  close(): void {
    this.#post({ type: 'drop', id: this.#id });
  }

  toHalf(message: unknown): void {
    // The other half of the same handler.
    this.#post({ type: 'half', id: this.#id, message: message as ToAudio });
  }
}
