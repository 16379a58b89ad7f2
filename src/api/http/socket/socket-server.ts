import { GatewayError } from '../../../base/errors.ts';
import type { Backlog } from '../answer/backlog.ts';
import { errorReply } from '../answer/error-reply.ts';
import { Exchange, type OnError } from '../answer/exchange.ts';
import type { Responder } from '../answer/responder.ts';
import type { Traffic } from '../answer/traffic.ts';
import { type RequestHead, type RequestId, requestIdFrom } from '../request/request-head.ts';
import { credentialOf, type OwnOrigin } from '../routing/access.ts';
import { type Endpoint, namedValues } from '../routing/endpoint.ts';
import type { PathMatch, PathTable } from '../routing/path-table.ts';
import type { Handshake } from '../server-library.ts';
import { OpenSocket, type SocketWire } from './open-socket.ts';
import type { SocketBudgets } from './socket-budget.ts';

/** Base64 of 16 bytes (RFC 6455, section 4.1). */
const SOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;
const SOCKET_VERSION = '13';

export interface SocketServerOptions {
  readonly paths: PathTable<Endpoint>;
  readonly traffic: Traffic;
  readonly backlog: Backlog;
  readonly budgets: SocketBudgets;
  readonly onError: OnError;
  readonly ownOrigin: OwnOrigin | undefined;
  /** Serves requests to paths without WebSockets. */
  readonly serve: (request: RequestHead, response: Responder) => void;
}

/** Manages every WebSocket of the server from handshake to close. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #open = new Set<OpenSocket>();

  constructor(options: SocketServerOptions) {
    this.#options = options;
  }

  closeAll(code: number, reason: string): void {
    for (const socket of [...this.#open]) socket.close(code, reason);
  }

  /** Accepts a handshake and returns the new socket; null if the request was answered otherwise. */
  handshake(request: RequestHead, response: Responder): Handshake | null {
    const match = this.#options.paths.find(request.getUrl());
    if (match === null || match.target.socket === null || !wantsSocket(request)) {
      this.#options.serve(request, response);
      return null;
    }
    const requestId = requestIdFrom(request.getHeader('x-request-id'));
    try {
      assertHandshake(request);
      return { socket: this.#accept(request, requestId, match), requestId };
    } catch (error) {
      this.#refuse(response, requestId, error);
      return null;
    }
  }

  opened(socket: OpenSocket, wire: SocketWire): void {
    this.#open.add(socket);
    socket.attach(wire);
  }

  closed(socket: OpenSocket, code: number, reason: string): void {
    this.#open.delete(socket);
    socket.detach(code, reason);
  }

  #refuse(response: Responder, requestId: RequestId, error: unknown): void {
    const { traffic, onError } = this.#options;
    const exchange = new Exchange(response, { requestId, method: 'get', traffic, onError });
    if (error === WRONG_VERSION) exchange.send(WRONG_VERSION);
    else exchange.fail(error);
  }

  #accept(request: RequestHead, requestId: RequestId, { target, values }: PathMatch<Endpoint>): OpenSocket {
    const { traffic, backlog, budgets, onError, ownOrigin } = this.#options;
    if (traffic.closing) throw new GatewayError('not_ready');
    const { route, parameterNames } = target.socket!;
    const handler = route.accept({
      params: namedValues(parameterNames, values),
      query: new URLSearchParams(request.getQuery()),
      // Later messages are not tied to the page that opened the WebSocket, so the handshake counts as a state change.
      credential: credentialOf(request, true, ownOrigin),
      requestId,
    });
    budgets.assertMayOpen(handler.accountId);
    return new OpenSocket({
      handler,
      maxMessageBytes: route.maxMessageBytes,
      budget: budgets.open(handler.accountId, route.pace),
      backlog,
      onError: (error) => onError(error, requestId),
    });
  }
}

const WRONG_VERSION = errorReply('websocket_version', {
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': SOCKET_VERSION,
});

function wantsSocket(request: RequestHead): boolean {
  return request.getMethod() === 'get' && request.getHeader('upgrade').toLowerCase() === 'websocket';
}

/** Checks the handshake headers that the libraries do not check, or do not all check. */
function assertHandshake(request: RequestHead): void {
  if (request.getHeader('sec-websocket-version') !== SOCKET_VERSION) throw WRONG_VERSION;
  if (!SOCKET_KEY.test(request.getHeader('sec-websocket-key'))) throw new GatewayError('malformed_request');
}
