import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { PathTable } from '../routing/path-table.ts';
import type { Handshake, ServerHandlers } from '../server-library.ts';
import { BUFFERED, DROPPED, type OpenSocket, type SocketWire } from '../socket/open-socket.ts';

/** A connection counts as dead after two intervals without a sign of life. */
const ALIVE_INTERVAL_MS = 30_000;
/** How long a client has to answer a close frame. */
const CLOSE_TIMEOUT_MS = 10_000;

/** An HTTP connection to upgrade to a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
}

/** WebSockets by the ws package. */
export class NodeSockets {
  readonly #handlers: ServerHandlers;
  /** One server per path, because the message limit also limits how much is buffered per message. */
  readonly #servers = new PathTable<WebSocketServer>();
  readonly #open = new Set<NodeSocket>();
  /** The id of each request that is being upgraded. */
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  readonly #timer: NodeJS.Timeout;

  constructor(handlers: ServerHandlers) {
    this.#handlers = handlers;
    for (const { path, maxReceivedBytes } of handlers.socketPaths)
      this.#servers.at(path, () => this.#newServer(maxReceivedBytes));
    this.#timer = setInterval(() => this.#askAll(), ALIVE_INTERVAL_MS).unref();
  }

  upgrade(path: string, { request, stream, head }: Upgrade, { socket, requestId }: Handshake): void {
    const server = this.#servers.find(path)?.target;
    if (server === undefined) return void stream.destroy();
    this.#requestIds.set(request, requestId);
    server.handleUpgrade(request, stream, head, (ws) => this.#carry(ws, stream, socket));
  }

  /** Drops all open connections. */
  close(): void {
    clearInterval(this.#timer);
    for (const socket of [...this.#open]) socket.close();
  }

  /** One listener for all upgrades: one for each would stay behind when its client has gone. */
  #newServer(maxReceivedBytes: number): WebSocketServer {
    const server = newServer(maxReceivedBytes);
    server.on('headers', (headers, request) =>
      headers.push(`X-Request-Id: ${this.#requestIds.get(request)}`),
    );
    return server;
  }

  #carry(ws: WebSocket, stream: Duplex, socket: OpenSocket): void {
    const wire = new NodeSocket(ws, stream, (code, reason) => {
      this.#open.delete(wire);
      this.#handlers.closed(socket, code, reason);
    });
    this.#open.add(wire);
    ws.binaryType = 'arraybuffer';
    ws.on('message', (data, isBinary) => {
      if (wire.hears()) socket.receive(data as ArrayBuffer, isBinary);
    });
    ws.on('ping', (data) => {
      if (wire.hears()) socket.receivePing(data.byteLength);
    });
    ws.on('pong', (data) => {
      if (wire.hears()) socket.receivePong(Uint8Array.from(data).buffer);
    });
    stream.on('drain', () => {
      if (wire.isOpen) socket.drained();
    });
    // The package itself reports invalid frames to the client, with 1002, 1007 or 1009.
    ws.on('error', () => {});
    ws.on('close', (code, reason) => wire.over(code, reason.toString('utf8')));
    this.#handlers.opened(socket, wire);
  }

  #askAll(): void {
    for (const socket of [...this.#open]) socket.ask();
  }
}

/** Options missing from the package's types. */
interface Limits extends ServerOptions {
  readonly closeTimeout: number;
  readonly maxFragments: number;
  readonly maxBufferedChunks: number;
}

function newServer(maxPayload: number): WebSocketServer {
  const limits: Limits = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    closeTimeout: CLOSE_TIMEOUT_MS,
    // Limits fragments, because each costs more memory than its bytes.
    maxFragments: 1_024,
    maxBufferedChunks: 16_384,
  };
  return new WebSocketServer(limits);
}

/** Send buffer limit per connection; messages beyond it are dropped. Routes stay far below it by their own policies. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576;
const SENT = 1;
/** Frames that a client may still send after the close frame: they were on their way. */
const MAX_LATE_FRAMES = 1_000;
/** Longest reason of a close frame (RFC 6455, section 5.5.1). */
const MAX_REASON_BYTES = 123;

/** A WebSocket of the ws package. */
class NodeSocket implements SocketWire {
  readonly #ws: WebSocket;
  readonly #stream: Duplex;
  readonly #closed: (code: number, reason: string) => void;
  #isOpen = true;
  #isAlive = true;
  #lateFrames = 0;

  /** `closed` is called exactly once, whichever side closes. */
  constructor(ws: WebSocket, stream: Duplex, closed: (code: number, reason: string) => void) {
    this.#ws = ws;
    this.#stream = stream;
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(message: string | Uint8Array, isBinary: boolean): number {
    if (this.#ws.bufferedAmount + Buffer.byteLength(message) > MAX_BUFFERED_BYTES) return DROPPED;
    this.#ws.send(typeof message === 'string' ? message : Buffer.from(message), { binary: isBinary });
    return this.#ws.bufferedAmount > 0 ? BUFFERED : SENT;
  }

  ping(payload: Uint32Array): void {
    this.#ws.ping(Buffer.from(payload.buffer.slice(0), payload.byteOffset, payload.byteLength));
  }

  cork(send: () => void): void {
    this.#stream.cork();
    try {
      send();
    } finally {
      this.#stream.uncork();
    }
  }

  getBufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  end(code: number, reason: string): void {
    const cut = cutToBytes(reason, MAX_REASON_BYTES);
    this.#ws.close(code, cut);
    this.over(code, cut);
  }

  close(): void {
    this.#ws.terminate();
    this.over(1006, '');
  }

  over(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#closed(code, reason);
  }

  /**
   * Records a sign of life from the client. Returns whether it is still listened to. The package goes on reading until
   * the client has answered the close frame. A client that sends on instead is no longer read, and cut by the deadline.
   */
  hears(): boolean {
    this.#isAlive = true;
    if (this.#isOpen) return true;
    this.#lateFrames += 1;
    if (this.#lateFrames === MAX_LATE_FRAMES) this.#ws.pause();
    return false;
  }

  /** Pings the client. Drops the connection if nothing was heard since the last ping. */
  ask(): void {
    if (!this.#isAlive) return this.close();
    this.#isAlive = false;
    if (this.#isOpen) this.#ws.ping();
  }
}

/** The longest prefix of a text that fits into `maxBytes`, in whole characters. */
function cutToBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
