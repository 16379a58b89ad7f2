import type * as uWS from 'uWebSockets.js';
import type { HttpRequest } from 'uWebSockets.js';
import { loadAccepting } from '../../../native/acceptor.ts';
import type { Backlog } from '../answer/backlog.ts';
import {
  cannotListen,
  type Handshake,
  type ServerHandlers,
  type ServerLibrary,
  type SocketPath,
  type SocketThreads,
} from '../server-library.ts';
import type { OpenSocket } from '../socket/open-socket.ts';
import type { Uws } from './load-uws.ts';
import { Pace } from './pace.ts';
import { SharedListener } from './shared-listener.ts';
import { UnheardFrames } from './unheard-frames.ts';
import { type Bounds, UwsResponder } from './uws-responder.ts';

/** Seconds of silence after which a connection counts as dead. The library sends pings before that. */
const IDLE_TIMEOUT_S = 60;

/** Send buffer limit per connection; messages beyond it are dropped. Routes stay far below it by their own policies. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576;

interface SocketData {
  readonly socket: OpenSocket;
}

/**
 * What it serves. A handshake may be answered later by a promise that never rejects. It then watches the responder, and
 * resolves to null also when the client has gone.
 */
export type UwsHandlers = ServerHandlers<Handshake | null | Promise<Handshake | null>>;

/** HTTP and WebSockets by uWebSockets.js. */
export class UwsLibrary implements ServerLibrary {
  readonly name = 'uws';
  readonly #uws: Uws;
  readonly #app: uWS.TemplatedApp;
  readonly #handlers: UwsHandlers;
  readonly #bounds: Bounds;
  readonly #shared: SharedListener | null;
  readonly #unheard: UnheardFrames | null;
  #listenSocket: uWS.us_listen_socket | null = null;

  /** `threads` get connections that come to `listen`. */
  constructor(uws: Uws, handlers: UwsHandlers, backlog: Backlog, threads: SocketThreads | null = null) {
    this.#uws = uws;
    this.#shared = threads && SharedListener.open(threads, handlers, (descriptor) => this.adopt(descriptor));
    const accepting = loadAccepting();
    this.#unheard = typeof accepting === 'string' ? null : new UnheardFrames(accepting);
    this.#app = uws.App();
    this.#handlers = handlers;
    this.#bounds = { backlog, pace: new Pace() };
    for (const socketPath of handlers.socketPaths) this.#takeSockets(socketPath);
    this.#app.any('/*', (response, request) => this.#request(response, request));
    this.#app.filter((response, change) => this.#watchConnection(response, change as number));
  }

  /** Takes over a connection that somebody else has accepted. */
  adopt(descriptor: number): void {
    // Missing from the library's types.
    (this.#app as unknown as { adoptSocket(descriptor: number): void }).adoptSocket(descriptor);
  }

  listen(host: string, port: number): Promise<number> {
    if (this.#shared !== null) return this.#shared.listen(host, port);
    return new Promise((resolve, reject) => {
      const done = (listenSocket: uWS.us_listen_socket | false): void => {
        if (listenSocket === false) {
          reject(cannotListen(host, port));
          return;
        }
        this.#listenSocket = listenSocket;
        // Cached, because the library asks the operating system, which would cost more than the rest of a request.
        resolve(this.#uws.us_socket_local_port(listenSocket));
      };
      listenExclusively(this.#uws, this.#app, { host, port, done });
    });
  }

  stopListening(): void {
    this.#shared?.stop();
    if (this.#listenSocket !== null) this.#uws.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = null;
  }

  close(): void {
    this.#unheard?.close();
    this.#app.close();
  }

  /** `change` is 1 when a connection is opened and -1 when it is closed. */
  #watchConnection(response: uWS.HttpResponse, change: number): void {
    if (change > 0 && !this.#handlers.admitsConnection(peerOf(response))) response.close();
  }

  #request(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    this.#bounds.pace.count();
    const framing = framingOf(request);
    const responder = new UwsResponder(response, this.#bounds, framing === 'chunked');
    if (framing === 'in doubt') this.#handlers.refuse(request, responder);
    else this.#handlers.request(request, responder);
  }

  /**
   * Registers a path for WebSockets. The message limit also limits what the library buffers per message, so each path
   * has its own.
   */
  #takeSockets({ path, maxReceivedBytes }: SocketPath): void {
    const pattern = path.replaceAll('{', ':').replaceAll('}', '');
    for (const each of [pattern, `${pattern}/`]) this.#app.ws(each, this.#behavior(maxReceivedBytes));
  }

  #behavior(maxPayloadLength: number): uWS.WebSocketBehavior<SocketData> {
    const handlers = this.#handlers;
    return {
      maxPayloadLength,
      maxBackpressure: MAX_BUFFERED_BYTES,
      idleTimeout: IDLE_TIMEOUT_S,
      sendPingsAutomatically: true,
      compression: 0,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => {
        const { socket } = ws.getUserData();
        this.#unheard?.opened(socket, ws);
        handlers.opened(socket, ws);
      },
      message: (ws, message, isBinary) => ws.getUserData().socket.receive(message, isBinary),
      ping: (ws, message) => ws.getUserData().socket.receivePing(message.byteLength),
      pong: (ws, message) => ws.getUserData().socket.receivePong(message),
      drain: (ws) => ws.getUserData().socket.drained(),
      close: (ws, code, reason) => {
        const { socket } = ws.getUserData();
        this.#unheard?.closed(socket);
        handlers.closed(socket, code, Buffer.from(reason).toString('utf8'));
      },
    };
  }

  #upgrade(response: uWS.HttpResponse, request: uWS.HttpRequest, context: uWS.us_socket_context_t): void {
    this.#bounds.pace.count();
    const responder = new UwsResponder(response, this.#bounds, true);
    if (framingOf(request) === 'in doubt') return this.#handlers.refuse(request, responder);
    const key = request.getHeader('sec-websocket-key');
    const extensions = request.getHeader('sec-websocket-extensions');
    const upgrade = ({ socket, requestId }: Handshake): void => {
      response.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', requestId);
      response.upgrade<SocketData>({ socket }, key, '', extensions, context);
    };
    const handshake = this.#handlers.handshake(request, responder);
    if (handshake instanceof Promise)
      void handshake.then((later) => later && response.cork(() => upgrade(later)));
    else if (handshake !== null) upgrade(handshake);
  }
}

/** The address of the other end; '' once the connection is closed. */
function peerOf(response: uWS.HttpResponse): string {
  return Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
}

interface ListenPlace {
  readonly host: string;
  readonly port: number;
  readonly done: (listenSocket: uWS.us_listen_socket | false) => void;
}

/**
 * Calls the library's four-argument `listen`, missing from its types. Without the option a second gateway could share
 * the port.
 */
function listenExclusively(uws: Uws, app: uWS.TemplatedApp, { host, port, done }: ListenPlace): void {
  type Listen = (host: string, port: number, options: number, done: unknown) => void;
  const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number };
  (app.listen as unknown as Listen).call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, done);
}

const LENGTH = /^\d{1,15}$/;

/**
 * Classifies how a request's body is delimited. `in doubt`: a proxy in front of the gateway could see a different end
 * than the library, which uses the first of two lengths and treats any coding as `chunked` (RFC 9112, section 6.3).
 * `chunked`: the library is lax about the ends of chunks and parses trailers as the next request, so no later request
 * on the connection may be served. All headers are scanned only if a body is announced, and of requests other than GET,
 * because the library does not tell an empty length from none, and a scan costs as much as finding the route.
 */
function framingOf(request: HttpRequest): 'plain' | 'chunked' | 'in doubt' {
  const length = request.getHeader('content-length');
  const coding = request.getHeader('transfer-encoding');
  if (length === '' && coding === '')
    return request.getMethod() === 'get' || hasNoFraming(request) ? 'plain' : 'in doubt';
  if (coding !== '' && coding.toLowerCase() !== 'chunked') return 'in doubt';
  if (length !== '' && !LENGTH.test(length)) return 'in doubt';
  if (!hasOneOfEach(request)) return 'in doubt';
  return coding === '' ? 'plain' : 'chunked';
}

let framings = 0;
let hosts = 0;

/** A named function, so that requests with a body do not each create a closure. */
function count(name: string): void {
  if (name === 'content-length' || name === 'transfer-encoding') framings += 1;
  else if (name === 'host') hosts += 1;
}

/** Whether there is neither a length nor a coding, not even an empty one. */
function hasNoFraming(request: HttpRequest): boolean {
  framings = 0;
  request.forEach(count);
  return framings === 0;
}

/** Whether there is exactly one length or coding header and exactly one host. */
function hasOneOfEach(request: HttpRequest): boolean {
  framings = 0;
  hosts = 0;
  request.forEach(count);
  return framings === 1 && hosts === 1;
}
