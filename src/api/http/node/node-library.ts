import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Backlog } from '../answer/backlog.ts';
import { cannotListen, type ServerHandlers, type ServerLibrary } from '../server-library.ts';
import { NodeConnection, type Turn } from './node-connection.ts';
import { hasBody, isInDoubt, NodeHead } from './node-head.ts';
import { NodeResponder } from './node-responder.ts';
import { NodeSockets } from './node-sockets.ts';
import { parseErrorResponse } from './parse-error-response.ts';

const MAX_HEADERS_BYTES = 16_384;
const MAX_HEADERS = 100;
/** From the first byte of a request to the end of its headers. */
const HEADERS_TIMEOUT_MS = 10_000;
/** A connection without a request is kept so long. */
const KEEP_ALIVE_MS = 10_000;

/** HTTP by Node's own server, whose parser is strict, and WebSockets by the ws package. */
export class NodeLibrary implements ServerLibrary {
  readonly name = 'node';
  readonly #server: Server;
  readonly #handlers: ServerHandlers;
  readonly #backlog: Backlog;
  readonly #sockets: NodeSockets;
  readonly #connections = new WeakMap<Duplex, NodeConnection>();

  constructor(handlers: ServerHandlers, backlog: Backlog) {
    this.#handlers = handlers;
    this.#backlog = backlog;
    this.#sockets = new NodeSockets(handlers);
    this.#server = createServer(
      {
        insecureHTTPParser: false,
        // Asked for by ourselves, so that a request has one answer whatever follows it.
        requireHostHeader: false,
        maxHeaderSize: MAX_HEADERS_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // How long a body may take is the routes' to say: forms have 15 minutes.
        requestTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1_000,
        noDelay: true,
      },
      (request, response) => this.#connectionOf(request.socket).take({ request, response }),
    );
    this.#server.maxHeadersCount = MAX_HEADERS;
    this.#server.on('connection', (socket: Socket) => {
      if (!handlers.admitsConnection()) socket.destroy();
    });
    this.#server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream as Socket, head));
    // Node would answer 417 by itself, whatever follows; an expectation that means nothing to us changes nothing.
    this.#server.on('checkExpectation', (request, response) =>
      this.#connectionOf(request.socket).take({ request, response }),
    );
    this.#server.on('connect', (_request, stream: Duplex) => void stream.destroy());
    this.#server.on('clientError', (error, stream) => this.#unreadable(error, stream as Socket));
  }

  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', () => reject(cannotListen(host, port)));
      this.#server.listen({ host, port, exclusive: true }, () => {
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  stopListening(): void {
    this.#server.close();
  }

  close(): void {
    this.#sockets.close();
    this.#server.closeAllConnections();
  }

  #connectionOf(socket: Socket): NodeConnection {
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = new NodeConnection(socket, (turn) => this.#serve(turn));
      this.#connections.set(socket, connection);
    }
    return connection;
  }

  #serve({ request, response }: Turn): void {
    if (request.httpVersion !== '1.1') {
      response.writeHead(505, { Connection: 'close' }).end();
      return;
    }
    const head = new NodeHead(request);
    const responder = new NodeResponder(request, response, this.#backlog);
    if (isInDoubt(request)) this.#handlers.refuse(head, responder);
    else this.#handlers.request(head, responder);
  }

  /** Node hands over whatever wants another protocol, so what is no handshake is served as the request that it is. */
  #upgrade(request: IncomingMessage, stream: Socket, first: Buffer): void {
    stream.on('error', () => {});
    if (this.#connectionOf(stream).isBusy) return void stream.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(stream);
    response.once('finish', () => stream.end());
    const head = new NodeHead(request);
    const responder = new NodeResponder(request, response, this.#backlog);
    // Node takes the body for the beginning of the other protocol.
    if (isInDoubt(request) || hasBody(request)) return this.#handlers.refuse(head, responder);
    const handshake = this.#handlers.handshake(head, responder);
    if (handshake === null) return;
    response.detachSocket(stream);
    this.#sockets.upgrade(head.getUrl(), { request, stream, head: first }, handshake);
  }

  #unreadable(error: NodeJS.ErrnoException, stream: Socket): void {
    if (error.code === 'ECONNRESET' || !stream.writable) return void stream.destroy();
    this.#connectionOf(stream).fail(parseErrorResponse(error.code ?? ''));
  }
}
