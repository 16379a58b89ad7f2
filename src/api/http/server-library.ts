import type { Responder } from './answer/responder.ts';
import type { RequestHead, RequestId } from './request/request-head.ts';
import type { OpenSocket, SocketWire } from './socket/open-socket.ts';

/** An accepted handshake. */
export interface Handshake {
  readonly socket: OpenSocket;
  readonly requestId: RequestId;
}

/** Configuration of a WebSocket path for the server library. */
export interface SocketPath {
  readonly path: string;
  /** Largest message that may be received, including all its fragments. */
  readonly maxReceivedBytes: number;
}

/** Receives all connections, requests and handshakes. */
export interface ServerHandlers<Answer = Handshake | null> {
  readonly socketPaths: readonly SocketPath[];
  /** Whether to keep a new connection. `peer`: the address of its other end; '' where nobody knows. */
  admitsConnection(peer: string): boolean;
  request(head: RequestHead, responder: Responder): void;
  /** Answers 400 to a request of ambiguous length and closes the connection. */
  refuse(head: RequestHead, responder: Responder): void;
  /** Returns the accepted handshake; null if the request was answered otherwise. */
  handshake(head: RequestHead, responder: Responder): Answer;
  opened(socket: OpenSocket, wire: SocketWire): void;
  closed(socket: OpenSocket, code: number, reason: string): void;
}

/**
 * The threads that some connections live on. They take a connection before anybody has read from it, and have this thread
 * answer its requests and handshakes.
 */
export interface SocketThreads {
  /** What the first bytes of such a connection begin with. */
  readonly prefix: string;
  /** Takes a connection by its descriptor. Returns false if it is not for a thread. */
  take(descriptor: number, head: string): boolean;
  /** `onSpent` is told of connections that have spent their budget. */
  serve(handlers: ServerHandlers, onSpent: (of: string) => void): void;
  readonly pressure: {
    readonly unreadBytes: number;
    readonly droppedSlow: number;
    readonly droppedFull: number;
  };
  /** Ends the threads, and with them their connections. */
  close(): Promise<void>;
}

/** A server library: listens, parses requests and sends answers. */
export interface ServerLibrary {
  readonly name: 'uws' | 'node';
  /** Resolves with the port. Rejects if the port is taken or the host is not an address of this machine. */
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting connections. */
  stopListening(): void;
  /** Drops all connections. */
  close(): void;
}

export function cannotListen(host: string, port: number): Error {
  return new Error(
    `Cannot listen on ${host}:${port}: the port is in use (set SVC_PORT to another one), or the host is not an address of this machine (set SVC_HOST to one that is)`,
  );
}
