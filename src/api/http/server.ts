import { assert } from '../../base/assert.ts';
import { ReadingTime } from '../../base/reading-time.ts';
import { type Clock, systemClock } from '../../base/time.ts';
import { Backlog, type BacklogOptions } from './answer/backlog.ts';
import { Traffic } from './answer/traffic.ts';
import { NodeLibrary } from './node/node-library.ts';
import { Dispatcher, type DispatcherOptions } from './routing/dispatcher.ts';
import { compile, type Endpoint, newEndpoint } from './routing/endpoint.ts';
import { PathTable } from './routing/path-table.ts';
import { pathParameterNames, type Route } from './routing/route.ts';
import type { ServerHandlers, ServerLibrary, SocketPath, SocketThreads } from './server-library.ts';
import type { SocketRoute } from './socket/socket.ts';
import { SocketBudgets } from './socket/socket-budget.ts';
import { SocketServer } from './socket/socket-server.ts';
import { loadUws } from './uws/load-uws.ts';
import { UwsLibrary } from './uws/uws-library.ts';

/** Margin above a route's message limit, within which the sender is told that the message is too long (1009). */
const EXCESS_BYTES = 65_536;

export interface HttpServerOptions extends DispatcherOptions {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
  /** Whether to accept another connection from this address. Default: always. */
  readonly admitsConnection?: (peer: string) => boolean;
  /** The server library. Default: uWebSockets.js if it can be loaded. */
  readonly library?: LibraryChoice;
  /** Threads for the connections of some paths. Only uWebSockets.js uses them. */
  readonly threads?: SocketThreads | undefined;
  /** Called with the reason if uWebSockets.js is unavailable and no library was requested. */
  readonly onFallback?: (reason: string) => void;
  readonly backlog?: BacklogOptions;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'monotonicMs'>;
}

/** Unread bytes, and clients dropped for them or for bodies in too many pieces, for the metrics. */
export interface ClientPressure {
  readonly unreadBytes: number;
  readonly droppedSlow: number;
  readonly droppedFull: number;
  readonly droppedFragmented: number;
}

/** The gateway's HTTP server, which accepts all HTTP requests and WebSocket handshakes. */
export class HttpServer {
  readonly #paths = new PathTable<Endpoint>();
  readonly #traffic = new Traffic();
  readonly #backlog: Backlog;
  readonly #closings = new Map<string, number>();
  readonly #threads: SocketThreads | null;
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
    this.#threads = options.threads ?? null;
    const onSpent = (of: string): void => void this.#closings.set(of, (this.#closings.get(of) ?? 0) + 1);
    const time = options.time ?? new ReadingTime(systemClock);
    const dispatcher = new Dispatcher(this.#paths, this.#traffic, { ...options, time });
    const sockets = new SocketServer({
      paths: this.#paths,
      traffic: this.#traffic,
      backlog: this.#backlog,
      budgets: new SocketBudgets(options.clock ?? systemClock, time, onSpent),
      onError: options.onError,
      ownOrigin: options.ownOrigin,
      serve: (request, response) => dispatcher.serve(request, response),
    });
    this.#sockets = sockets;
    const handlers: ServerHandlers = {
      socketPaths: options.sockets.map(socketPath),
      admitsConnection: options.admitsConnection ?? (() => true),
      request: (head, responder) => dispatcher.serve(head, responder),
      refuse: (head, responder) => dispatcher.refuse(head, responder),
      handshake: (head, responder) => sockets.handshake(head, responder),
      opened: (socket, wire) => sockets.opened(socket, wire),
      closed: (socket, code, reason) => sockets.closed(socket, code, reason),
    };
    this.#threads?.serve(handlers, onSpent);
    const open: LibraryOpening = { handlers, backlog: this.#backlog, threads: this.#threads };
    this.#library = openLibrary(options.library ?? 'auto', open, options.onFallback);
  }

  /**
   * Starts listening; port 0 picks a free port. Rejects if the port is taken or the host is not an address of this
   * machine.
   */
  async listen(host: string, port: number): Promise<void> {
    this.#port = await this.#library.listen(host, port);
  }

  /** The listening port; -1 when not listening. */
  get port(): number {
    return this.#port;
  }

  /** Name of the server library in use. */
  get library(): ServerLibrary['name'] {
    return this.#library.name;
  }

  /** WebSockets closed because their client sent too much, by what it sent last. */
  get socketClosings(): ReadonlyMap<string, number> {
    return this.#closings;
  }

  get pressure(): ClientPressure {
    const { bytes, droppedSlow, droppedFull } = this.#backlog;
    const ofThreads = this.#threads?.pressure ?? { unreadBytes: 0, droppedSlow: 0, droppedFull: 0 };
    return {
      unreadBytes: bytes + ofThreads.unreadBytes,
      droppedSlow: droppedSlow + ofThreads.droppedSlow,
      droppedFull: droppedFull + ofThreads.droppedFull,
      droppedFragmented: this.#traffic.fragmented,
    };
  }

  /**
   * Stops accepting connections, closes every WebSocket with 1001, gives requests in flight at most `deadlineMs` to
   * finish, then drops all remaining connections. Safe to call twice.
   */
  async close(deadlineMs: number): Promise<void> {
    if (this.#port === -1) return;
    this.#port = -1;
    this.#library.stopListening();
    this.#sockets.closeAll(1001, 'Server is shutting down');
    await this.#traffic.drain(deadlineMs);
    this.#library.close();
    await this.#threads?.close();
  }
}

function socketPath({ path, maxMessageBytes }: SocketRoute): SocketPath {
  return {
    path,
    maxReceivedBytes: maxMessageBytes < EXCESS_BYTES ? EXCESS_BYTES : maxMessageBytes + EXCESS_BYTES,
  };
}

/** `auto`: uWebSockets.js if it can be loaded, else Node's own http. */
export type LibraryChoice = 'uws' | 'node' | 'auto';

interface LibraryOpening {
  readonly handlers: ServerHandlers;
  readonly backlog: Backlog;
  readonly threads: SocketThreads | null;
}

/**
 * Throws if uWebSockets.js was requested but cannot be loaded, and in any case if its file does not match the pinned
 * checksum.
 */
function openLibrary(
  choice: LibraryChoice,
  { handlers, backlog, threads }: LibraryOpening,
  onFallback: ((reason: string) => void) | undefined,
): ServerLibrary {
  if (choice === 'node') return new NodeLibrary(handlers, backlog);
  const uws = loadUws();
  if (typeof uws !== 'string') return new UwsLibrary(uws, handlers, backlog, threads);
  if (choice === 'uws')
    throw new Error(`SVC_HTTP_SERVER is "uws", but uWebSockets.js cannot be loaded: ${uws}`);
  onFallback?.(uws);
  return new NodeLibrary(handlers, backlog);
}
