import type * as uWS from 'uWebSockets.js';
import { GatewayError } from '../../base/errors.ts';
import { credentialOf, type OwnOrigin } from './access.ts';
import { type Endpoint, namedValues } from './endpoint.ts';
import { Exchange, type OnError } from './exchange.ts';
import { OpenSocket } from './open-socket.ts';
import type { PathMatch, PathTable } from './path-table.ts';
import { requestIdFrom } from './request-id.ts';
import type { Traffic } from './traffic.ts';

/**
 * Beyond this the library drops the connection without a close frame (the client sees 1006); up to it a message that
 * is longer than its route allows is answered with 1009.
 */
const MAX_RECEIVED_BYTES = 16 * 1_048_576;

/** Seconds without a sign of life before a connection counts as dead; the library pings on its own before that. */
const IDLE_TIMEOUT_S = 60;

/** What may wait for a slow reader; what comes on top is not sent. Routes keep far below it by their own policies. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576;

interface SocketData {
  readonly socket: OpenSocket;
}

type Serve = (response: uWS.HttpResponse, request: uWS.HttpRequest) => void;

/** Every WebSocket of the server, from the handshake to the close. */
export class SocketServer {
  readonly #paths: PathTable<Endpoint>;
  readonly #traffic: Traffic;
  readonly #onError: OnError;
  readonly #ownOrigin: OwnOrigin | undefined;
  readonly #open = new Set<OpenSocket>();

  constructor(paths: PathTable<Endpoint>, traffic: Traffic, onError: OnError, ownOrigin?: OwnOrigin) {
    this.#paths = paths;
    this.#traffic = traffic;
    this.#onError = onError;
    this.#ownOrigin = ownOrigin;
  }

  /** What the library does with handshakes and frames; `serve` takes the handshakes of paths that have no sockets. */
  behavior(serve: Serve): uWS.WebSocketBehavior<SocketData> {
    return {
      maxPayloadLength: MAX_RECEIVED_BYTES,
      maxBackpressure: MAX_BUFFERED_BYTES,
      idleTimeout: IDLE_TIMEOUT_S,
      sendPingsAutomatically: true,
      compression: 0,
      upgrade: (response, request, context) => {
        const match = this.#paths.find(request.getUrl());
        if (match === null || match.target.socket === null) serve(response, request);
        else this.#upgrade(response, request, context, match);
      },
      open: (ws) => {
        const { socket } = ws.getUserData();
        this.#open.add(socket);
        socket.attach(ws);
      },
      message: (ws, message, isBinary) => ws.getUserData().socket.receive(message, isBinary),
      pong: (ws, message) => ws.getUserData().socket.receivePong(message),
      drain: (ws) => ws.getUserData().socket.drained(),
      close: (ws, code, reason) => {
        const { socket } = ws.getUserData();
        this.#open.delete(socket);
        socket.detach(code, reason);
      },
    };
  }

  closeAll(code: number, reason: string): void {
    for (const socket of [...this.#open]) socket.close(code, reason);
  }

  #upgrade(
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    context: uWS.us_socket_context_t,
    match: PathMatch<Endpoint>,
  ): void {
    const requestId = requestIdFrom(request.getHeader('x-request-id'));
    let socket: OpenSocket;
    try {
      socket = this.#accept(request, requestId, match);
    } catch (error) {
      new Exchange(response, {
        requestId,
        method: 'get',
        traffic: this.#traffic,
        onError: this.#onError,
      }).fail(error);
      return;
    }
    const key = request.getHeader('sec-websocket-key');
    const extensions = request.getHeader('sec-websocket-extensions');
    response.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', requestId);
    response.upgrade<SocketData>({ socket }, key, '', extensions, context);
  }

  #accept(request: uWS.HttpRequest, requestId: string, { target, values }: PathMatch<Endpoint>): OpenSocket {
    if (this.#traffic.closing) throw new GatewayError('not_ready');
    const { route, parameterNames } = target.socket!;
    const handler = route.accept({
      params: namedValues(parameterNames, values),
      query: new URLSearchParams(request.getQuery()),
      // What a WebSocket says is not bound to the page that opened it, so any counts as a change.
      credential: credentialOf(request, true, this.#ownOrigin),
      requestId,
    });
    return new OpenSocket(handler, route.maxMessageBytes, (error) => this.#onError(error, requestId));
  }
}
