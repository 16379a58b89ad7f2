import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { PathTable } from '../routing/path-table.ts';
import type { Handshake, ServerHandlers } from '../server-library.ts';
import type { OpenSocket } from '../socket/open-socket.ts';
import { NodeSocket } from './node-socket.ts';

/** A connection without a sign of life for two of these counts as dead. */
const ALIVE_INTERVAL_MS = 30_000;
/** A client has so long to answer a close frame. */
const CLOSE_TIMEOUT_MS = 10_000;

/** An HTTP connection that shall become a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
}

/** WebSockets by the ws package. */
export class NodeSockets {
  readonly #handlers: ServerHandlers;
  /** A server for each path: what a message may have bounds what is buffered of one. */
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

  /** Drops what is still open. */
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
    // What is wrong with a frame the package tells the client itself, with 1002, 1007 or 1009.
    ws.on('error', () => {});
    ws.on('close', (code, reason) => wire.over(code, reason.toString('utf8')));
    this.#handlers.opened(socket, wire);
  }

  #askAll(): void {
    for (const socket of [...this.#open]) socket.ask();
  }
}

/** What the package's types leave out. */
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
    // Every fragment costs more than its bytes.
    maxFragments: 1_024,
    maxBufferedChunks: 16_384,
  };
  return new WebSocketServer(limits);
}
