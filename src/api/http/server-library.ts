import type { Responder } from './answer/responder.ts';
import type { RequestHead } from './request/request-head.ts';
import type { RequestId } from './request/request-id.ts';
import type { OpenSocket } from './socket/open-socket.ts';
import type { SocketWire } from './socket/socket-wire.ts';

/** A handshake that was accepted. */
export interface Handshake {
  readonly socket: OpenSocket;
  readonly requestId: RequestId;
}

/** A path that takes WebSockets, as a library needs to know it. */
export interface SocketPath {
  readonly path: string;
  /** Largest message, fragments together, that may be received. */
  readonly maxReceivedBytes: number;
}

/** Who hears of everything that comes in. */
export interface ServerHandlers {
  readonly socketPaths: readonly SocketPath[];
  /** Whether a new connection may stay. */
  admitsConnection(): boolean;
  request(head: RequestHead, responder: Responder): void;
  /** Answers 400 to a request whose length is in doubt, and has the connection closed. */
  refuse(head: RequestHead, responder: Responder): void;
  /** Null: it was answered with something else. */
  handshake(head: RequestHead, responder: Responder): Handshake | null;
  opened(socket: OpenSocket, wire: SocketWire): void;
  closed(socket: OpenSocket, code: number, reason: string): void;
}

/** A server library: it listens, reads requests and carries answers. */
export interface ServerLibrary {
  readonly name: 'uws' | 'node';
  /** Resolves with the port; rejects when it is taken or the host is not of this machine. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no more connections. */
  stopListening(): void;
  /** Drops all connections. */
  close(): void;
}

export function cannotListen(host: string, port: number): Error {
  return new Error(`cannot listen on ${host}:${port}: the port is taken or the host is not this machine's`);
}
