import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { PathTable } from '../routing/path-table.ts';
import type { Handshake, ServerHandlers } from '../server-library.ts';
import type { OpenSocket } from '../socket/open-socket.ts';
import { NodeSocket } from './node-socket.ts';

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
  readonly #timer: NodeJS.Timeout;

  constructor(handlers: ServerHandlers) {
    this.#handlers = handlers;
    for (const { path, maxReceivedBytes } of handlers.socketPaths)
      this.#servers.at(path, () => newServer(maxReceivedBytes));
    this.#timer = setInterval(() => this.#askAll(), ALIVE_INTERVAL_MS).unref();
  }

  upgrade(path: string, { request, stream, head }: Upgrade, { socket, requestId }: Handshake): void {
    const server = this.#servers.find(path)?.target;
    if (server === undefined) return void stream.destroy();
    server.once('headers', (headers) => headers.push(`X-Request-Id: ${requestId}`));
    server.handleUpgrade(request, stream, head, (ws) => this.#carry(ws, stream, socket));
  }

  /** Drops all open connections. */
  close(): void {
    clearInterval(this.#timer);
    for (const socket of [...this.#open]) socket.close();
  }

  #carry(ws: WebSocket, stream: Duplex, socket: OpenSocket): void {
    const wire = new NodeSocket(ws, stream, (code, reason) => {
      this.#open.delete(wire);
      this.#handlers.closed(socket, code, reason);
    });
    this.#open.add(wire);
    ws.binaryType = 'arraybuffer';
    ws.on('message', (data, isBinary) => {
      wire.hear();
      if (wire.isOpen) socket.receive(data as ArrayBuffer, isBinary);
    });
    ws.on('ping', () => wire.hear());
    ws.on('pong', (data) => {
      wire.hear();
      if (wire.isOpen) socket.receivePong(Uint8Array.from(data).buffer);
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
