import { assert } from '../../base/assert.ts';
import { Backlog, type BacklogOptions } from './answer/backlog.ts';
import { Traffic } from './answer/traffic.ts';
import { type LibraryChoice, openLibrary } from './open-library.ts';
import { Dispatcher, type DispatcherOptions } from './routing/dispatcher.ts';
import { compile, type Endpoint, newEndpoint } from './routing/endpoint.ts';
import { PathTable } from './routing/path-table.ts';
import { pathParameterNames, type Route } from './routing/route.ts';
import type { ServerLibrary, SocketPath } from './server-library.ts';
import type { SocketRoute } from './socket/socket.ts';
import { SocketServer } from './socket/socket-server.ts';

/** What may be received of a message above what its route allows, so that the sender is told (1009). */
const EXCESS_BYTES = 65_536;

export interface HttpServerOptions extends DispatcherOptions {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  /** Whether one more connection may stay; without it, all may. */
  readonly admitsConnection?: () => boolean;
  /** Which server library; uWebSockets.js where it can be loaded unless told otherwise. */
  readonly library?: LibraryChoice;
  /** Told why uWebSockets.js was not used although nobody asked for another library. */
  readonly onFallback?: (reason: string) => void;
  readonly backlog?: BacklogOptions;
}

/** What clients have not read yet, for the metrics. */
export interface ReadPressure {
  readonly waitingBytes: number;
  readonly droppedSlow: number;
  readonly droppedFull: number;
}

/** The gateway's HTTP server: every HTTP request and every WebSocket handshake comes in here. */
export class HttpServer {
  readonly #paths = new PathTable<Endpoint>();
  readonly #traffic = new Traffic();
  readonly #backlog: Backlog;
  readonly #sockets: SocketServer;
  readonly #library: ServerLibrary;
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
    this.#backlog = new Backlog(options.backlog);
    const dispatcher = new Dispatcher(this.#paths, this.#traffic, options);
    const sockets = new SocketServer({
      paths: this.#paths,
      traffic: this.#traffic,
      backlog: this.#backlog,
      onError: options.onError,
      ownOrigin: options.ownOrigin,
      serve: (request, response) => dispatcher.serve(request, response),
    });
    this.#sockets = sockets;
    this.#library = openLibrary(options.library ?? 'auto', this.#backlog, options.onFallback, {
      socketPaths: options.sockets.map(socketPath),
      admitsConnection: options.admitsConnection ?? (() => true),
      request: (head, responder) => dispatcher.serve(head, responder),
      refuse: (head, responder) => dispatcher.refuse(head, responder),
      handshake: (head, responder) => sockets.handshake(head, responder),
      opened: (socket, wire) => sockets.opened(socket, wire),
      closed: (socket, code, reason) => sockets.closed(socket, code, reason),
    });
  }

  /** Starts to listen; port 0 takes a free one. Rejects when the port is taken or the host is not of this machine. */
  async listen(host: string, port: number): Promise<void> {
    this.#port = await this.#library.listen(host, port);
  }

  /** The port that the server listens on; -1 when it does not. */
  get port(): number {
    return this.#port;
  }

  /** The server library that was chosen. */
  get library(): ServerLibrary['name'] {
    return this.#library.name;
  }

  get pressure(): ReadPressure {
    const { bytes, droppedSlow, droppedFull } = this.#backlog;
    return { waitingBytes: bytes, droppedSlow, droppedFull };
  }

  /**
   * Takes no more connections, tells every WebSocket that the server is going away (1001), lets the requests in
   * flight finish for at most `deadlineMs`, then drops what is left. Safe to call twice.
   */
  async close(deadlineMs: number): Promise<void> {
    if (this.#port === -1) return;
    this.#port = -1;
    this.#library.stopListening();
    this.#sockets.closeAll(1001, 'Server is shutting down');
    await this.#traffic.drain(deadlineMs);
    this.#library.close();
  }
}

function socketPath({ path, maxMessageBytes }: SocketRoute): SocketPath {
  return {
    path,
    maxReceivedBytes: maxMessageBytes < EXCESS_BYTES ? EXCESS_BYTES : maxMessageBytes + EXCESS_BYTES,
  };
}
