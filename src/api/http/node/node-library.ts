import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GatewayError } from '../../../base/errors.ts';
import type { Backlog } from '../answer/backlog.ts';
import { errorBody } from '../answer/error-reply.ts';
import type { RequestHead } from '../request/request-head.ts';
import { cannotListen, type ServerHandlers, type ServerLibrary } from '../server-library.ts';
import { NodeConnection, type Turn } from './node-connection.ts';
import { NodeResponder } from './node-responder.ts';
import { NodeSockets } from './node-sockets.ts';

const MAX_HEADERS_BYTES = 16_384;
const MAX_HEADERS = 100;
/** Time limit from a request's first byte to the end of its headers. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How long an idle connection is kept open. */
const KEEP_ALIVE_MS = 10_000;

/** HTTP by Node's built-in server, which has a strict parser, and WebSockets by the ws package. */
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
        // The gateway checks this itself, so that every request gets exactly one answer.
        requireHostHeader: false,
        maxHeaderSize: MAX_HEADERS_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // Routes set their own body deadlines: uploads of forms have 15 minutes.
        requestTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1_000,
        noDelay: true,
      },
      (request, response) => this.#connectionOf(request.socket).take({ request, response }),
    );
    this.#server.maxHeadersCount = MAX_HEADERS;
    this.#server.on('connection', (socket: Socket) => {
      if (!handlers.admitsConnection(socket.remoteAddress ?? '')) socket.destroy();
    });
    this.#server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream as Socket, head));
    // By default Node answers unknown expectations with 417. They are ignored here.
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
      response.writeHead(505, { 'Content-Type': 'application/json', Connection: 'close' });
      response.end(JSON.stringify(errorBody(new GatewayError('http_version'))));
      return;
    }
    const head = new NodeHead(request);
    const responder = new NodeResponder(request, response, this.#backlog);
    if (isInDoubt(request)) this.#handlers.refuse(head, responder);
    else this.#handlers.request(head, responder);
  }

  /**
   * Node passes on every request with an `Upgrade` header. Requests that are not WebSocket handshakes are served as
   * normal requests.
   */
  #upgrade(request: IncomingMessage, stream: Socket, first: Buffer): void {
    stream.on('error', () => {});
    if (this.#connectionOf(stream).isBusy) return void stream.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(stream);
    response.once('finish', () => stream.end());
    const head = new NodeHead(request);
    const responder = new NodeResponder(request, response, this.#backlog);
    // Node treats the body as the start of the upgraded protocol.
    if (isInDoubt(request) || hasBody(request)) return this.#handlers.refuse(head, responder);
    const handshake = this.#handlers.handshake(head, responder);
    if (handshake === null) return;
    response.detachSocket(stream);
    this.#sockets.upgrade(head.getUrl(), { request, stream, head: first }, handshake);
  }

  #unreadable(error: NodeJS.ErrnoException, stream: Socket): void {
    if (error.code === 'ECONNRESET') stream.destroy();
    else this.#connectionOf(stream).fail(parseErrorResponse(error.code ?? ''));
  }
}

/** What an error code of Node's parser and timeouts means to the client; all others: `malformed_request`. */
const MEANINGS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  HPE_INVALID_VERSION: 'http_version',
  ERR_HTTP_REQUEST_TIMEOUT: 'headers_too_slow',
};

/** Data received after the client's last request on the connection. */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** A complete answer to an unreadable request; '' if it gets none. */
function parseErrorResponse(code: string): string {
  if (code === AFTER_THE_LAST) return '';
  const error = new GatewayError(MEANINGS[code] ?? 'malformed_request');
  const { status } = error;
  const body = JSON.stringify(errorBody(error));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Adapter for a request parsed by Node's http. */
class NodeHead implements RequestHead {
  readonly #request: IncomingMessage;
  readonly #path: string;
  readonly #query: string;

  constructor(request: IncomingMessage) {
    this.#request = request;
    const target = request.url ?? '';
    const mark = target.indexOf('?');
    this.#path = mark < 0 ? target : target.slice(0, mark);
    this.#query = mark < 0 ? '' : target.slice(mark + 1);
  }

  getMethod(): string {
    return (this.#request.method ?? '').toLowerCase();
  }

  getUrl(): string {
    return this.#path;
  }

  getQuery(): string {
    return this.#query;
  }

  getHeader(name: string): string {
    return this.#request.headersDistinct[name]?.[0] ?? '';
  }
}

/**
 * Whether a request that passes Node's parser must be refused (RFC 9112, sections 3.2 and 6): it has several hosts,
 * none, or a transfer coding other than `chunked`.
 */
function isInDoubt(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true;
  let hosts = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]!.toLowerCase() === 'host') hosts += 1;
  }
  return hosts !== 1;
}

/** Whether a request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
