import './header-limit.ts';
import * as uWS from 'uWebSockets.js';
import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Authenticate, Principal } from '../auth/principal.ts';
import { admit, credentialOf } from './access.ts';
import {
  allowOf,
  type CompiledRoute,
  compile,
  type Endpoint,
  IncomingRequest,
  newEndpoint,
} from './endpoint.ts';
import { Exchange, type OnError } from './exchange.ts';
import { PathTable } from './path-table.ts';
import { type Reply, reply, replyEmpty } from './reply.ts';
import { type BodyOutcome, parseJson, readBody } from './request-body.ts';
import { requestIdFrom } from './request-id.ts';
import { pathParameterNames, type Route } from './route.ts';
import type { SocketRoute } from './socket.ts';
import { SocketServer } from './socket-server.ts';
import { streamReply } from './stream-reply.ts';
import { Traffic } from './traffic.ts';
import { validate } from './validation.ts';

const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;
const BODY_DEADLINE_MS = 30_000;
const BODY_SILENCE_MS = 8_000;

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  readonly authenticate: Authenticate;
  /** Told of everything that answers 500. */
  readonly onError: OnError;
  /** Longest time for a request body; 30 s unless told otherwise. */
  readonly bodyDeadlineMs?: number;
  /** Longest pause within a request body; 8 s unless told otherwise. */
  readonly bodySilenceMs?: number;
}

/** The gateway's front door: every HTTP request and every WebSocket handshake comes in here. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #app = uWS.App();
  readonly #paths = new PathTable<Endpoint>();
  readonly #traffic = new Traffic();
  readonly #sockets: SocketServer;
  #listenSocket: uWS.us_listen_socket | null = null;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    for (const route of options.routes) {
      const { methods } = this.#paths.at(route.path, newEndpoint);
      assert(!methods.has(route.method), `${route.method} ${route.path} is declared twice`);
      methods.set(route.method, compile(route));
    }
    for (const route of options.sockets) {
      this.#paths.at(route.path, newEndpoint).socket = {
        route,
        parameterNames: pathParameterNames(route.path),
      };
    }
    this.#sockets = new SocketServer(this.#paths, this.#traffic, options.onError);
    this.#app.ws(
      '/*',
      this.#sockets.behavior((response, request) => this.#serve(response, request)),
    );
    this.#app.any('/*', (response, request) => this.#serve(response, request));
  }

  /** Starts to listen; port 0 takes a free one. Rejects when the port is taken or the host is not of this machine. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      listenExclusively(this.#app, host, port, (listenSocket) => {
        if (listenSocket === false) {
          reject(
            new Error(
              `cannot listen on ${host}:${port}: the port is taken or the host is not this machine's`,
            ),
          );
          return;
        }
        this.#listenSocket = listenSocket;
        resolve();
      });
    });
  }

  /** The port that the server listens on; -1 when it does not. */
  get port(): number {
    return this.#listenSocket === null ? -1 : uWS.us_socket_local_port(this.#listenSocket);
  }

  /**
   * Takes no more connections, tells every WebSocket that the server is going away (1001), lets the requests in
   * flight finish for at most `deadlineMs`, then drops what is left. Safe to call twice.
   */
  async close(deadlineMs: number): Promise<void> {
    if (this.#listenSocket === null) return;
    uWS.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = null;
    this.#sockets.closeAll(1001, 'Server is shutting down');
    await this.#traffic.drain(deadlineMs);
    this.#app.close();
  }

  #serve(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    const method = request.getMethod();
    const exchange = new Exchange(response, {
      requestId: requestIdFrom(request.getHeader('x-request-id')),
      isHead: method === 'head',
      traffic: this.#traffic,
      onError: this.#options.onError,
    });
    try {
      this.#dispatch(exchange, request, method);
    } catch (error) {
      exchange.fail(error);
    }
  }

  #dispatch(exchange: Exchange, request: uWS.HttpRequest, method: string): void {
    const match = this.#paths.find(request.getUrl());
    if (match === null) throw new GatewayError('not_found');
    const compiled = match.target.methods.get(method === 'head' ? 'get' : method);
    if (compiled === undefined) {
      answerWithoutRoute(exchange, match.target, method);
      return;
    }
    const principal = this.#admit(compiled.route, request);
    const incoming = new IncomingRequest(exchange, compiled, request, match.values, principal);
    if (compiled.route.body === undefined) handle(exchange, compiled, incoming);
    else this.#readThenHandle(exchange, compiled, incoming);
  }

  #admit(route: Route, request: uWS.HttpRequest): Principal | null {
    if (route.access === 'public') return null;
    return admit(route.access, this.#options.authenticate(credentialOf(request)));
  }

  #readThenHandle(exchange: Exchange, compiled: CompiledRoute, incoming: IncomingRequest): void {
    const limits = {
      maxBytes: compiled.route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
      deadlineMs: this.#options.bodyDeadlineMs ?? BODY_DEADLINE_MS,
      silenceMs: this.#options.bodySilenceMs ?? BODY_SILENCE_MS,
    };
    readBody(exchange, limits, (outcome) => {
      try {
        takeBody(exchange, compiled, incoming, outcome);
      } catch (error) {
        exchange.fail(error);
      }
    });
  }
}

function takeBody(
  exchange: Exchange,
  compiled: CompiledRoute,
  incoming: IncomingRequest,
  outcome: BodyOutcome,
): void {
  switch (outcome.kind) {
    case 'too_large':
      exchange.send(reply(413, { detail: new GatewayError('body_too_large').message }), !outcome.isRead);
      return;
    case 'too_slow':
      exchange.send(reply(408, { detail: 'Request body did not arrive in time' }), true);
      return;
    case 'complete':
      incoming.body = validate(compiled.route.body!, 'body', parseJson(outcome.bytes));
      handle(exchange, compiled, incoming);
  }
}

/** Runs a handler. One that answers at once is answered at once, which also keeps pipelined requests in order. */
function handle(exchange: Exchange, { route }: CompiledRoute, incoming: IncomingRequest): void {
  const answer = route.handler(incoming);
  if (!(answer instanceof Promise)) {
    answerWith(exchange, answer);
    return;
  }
  exchange.watchAbort();
  answer.then((late) => answerWith(exchange, late)).catch((error: unknown) => exchange.fail(error));
}

function answerWith(exchange: Exchange, answer: Reply): void {
  if (answer.kind === 'stream') void streamReply(exchange, answer);
  else exchange.send(answer);
}

function answerWithoutRoute(exchange: Exchange, endpoint: Endpoint, method: string): void {
  const headers = { Allow: allowOf(endpoint) };
  if (method === 'options') {
    exchange.send(replyEmpty(204, headers));
  } else if (endpoint.socket !== null && method === 'get') {
    exchange.send(reply(426, { detail: 'This path takes WebSocket connections' }, { Upgrade: 'websocket' }));
  } else {
    exchange.send(reply(405, { detail: new GatewayError('method_not_allowed').message }, headers));
  }
}

/** The library's four-argument form, which its types leave out: without the option a second gateway could share the port. */
function listenExclusively(
  app: uWS.TemplatedApp,
  host: string,
  port: number,
  done: (listenSocket: uWS.us_listen_socket | false) => void,
): void {
  type Listen = (host: string, port: number, options: number, done: unknown) => void;
  const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uWS as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number };
  (app.listen as unknown as Listen).call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, done);
}
