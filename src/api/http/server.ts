import './header-limit.ts';
import * as uWS from 'uWebSockets.js';
import { assert } from '../../base/assert.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { compile, type Endpoint, newEndpoint } from './endpoint.ts';
import { PathTable } from './path-table.ts';
import { pathParameterNames, type Route } from './route.ts';
import type { SocketRoute } from './socket.ts';
import { SocketServer } from './socket-server.ts';
import { Traffic } from './traffic.ts';

export interface HttpServerOptions extends DispatcherOptions {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  /** Whether one more connection may stay; without it, all may. */
  readonly admitsConnection?: () => boolean;
}

/** The gateway's front door: every HTTP request and every WebSocket handshake comes in here. */
export class HttpServer {
  readonly #app = uWS.App();
  readonly #paths = new PathTable<Endpoint>();
  readonly #traffic = new Traffic();
  readonly #sockets: SocketServer;
  #listenSocket: uWS.us_listen_socket | null = null;
  #port = -1;

  constructor(options: HttpServerOptions) {
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
    this.#sockets = new SocketServer(this.#paths, this.#traffic, options.onError, options.ownOrigin);
    const dispatcher = new Dispatcher(this.#paths, this.#traffic, options);
    const serve = dispatcher.serve.bind(dispatcher);
    const { admitsConnection } = options;
    const watchConnection = (response: uWS.HttpResponse, change: number): void => {
      if (change > 0 && !admitsConnection!()) response.close();
    };
    if (admitsConnection) this.#app.filter(watchConnection);
    this.#app.ws('/*', this.#sockets.behavior(serve));
    this.#app.any('/*', serve);
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
        // Asked once: the library asks the operating system, which would cost more than the rest of a request.
        this.#port = uWS.us_socket_local_port(listenSocket);
        resolve();
      });
    });
  }

  /** The port that the server listens on; -1 when it does not. */
  get port(): number {
    return this.#port;
  }

  /**
   * Takes no more connections, tells every WebSocket that the server is going away (1001), lets the requests in
   * flight finish for at most `deadlineMs`, then drops what is left. Safe to call twice.
   */
  async close(deadlineMs: number): Promise<void> {
    if (this.#listenSocket === null) return;
    uWS.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = null;
    this.#port = -1;
    this.#sockets.closeAll(1001, 'Server is shutting down');
    await this.#traffic.drain(deadlineMs);
    this.#app.close();
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
