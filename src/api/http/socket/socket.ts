import type { BucketSize } from '../../../base/token-bucket.ts';
import type { RequestId } from '../request/request-head.ts';

/**
 * One open WebSocket. Every method is safe after the close and then does nothing. The send methods return false if the
 * message was not sent because the connection is closed or its 4 MB buffer is full.
 */
export interface Socket {
  sendText(text: string): boolean;
  /**
   * Sends the view's bytes, which may be shared memory, as one binary frame. They are copied before the call returns.
   * With `ping`, a ping carrying this number (below 2^32) follows in the same packet; the number comes back in `pong`.
   */
  sendBinary(bytes: Uint8Array, ping?: number): boolean;
  /** Sends everything sent inside `send` in as few packets as possible. */
  cork(send: () => void): void;
  /** Bytes accepted for sending that the network has not accepted yet. */
  bufferedBytes(): number;
  /** Closes with a code (RFC 6455, section 7.4) and a reason of at most 123 bytes. */
  close(code: number, reason: string): void;
  /**
   * Passes a message to the other half of the handler; null: the connection is on this thread, and the handler is whole.
   */
  readonly toHalf: ((message: unknown) => void) | null;
  /** Notes that the client's last message is answered with a fault. Closes the connection if there were too many. */
  faulted(): void;
}

/** Handles a connection's events. */
export interface SocketHandler {
  /** Whose budget the connection spends. */
  readonly accountId: string;
  /** What its half on the thread of the connection begins with. Only for routes whose connections have threads. */
  beginHalf?(): unknown;
  /** A message of that half. */
  fromHalf?(message: unknown): void;
  opened(socket: Socket): void;
  text(text: string): void;
  /** The bytes are valid only until the method returns. */
  binary(bytes: ArrayBuffer): void;
  /** The answer to a ping of `sendBinary`. The number is unverified: a client can make it up. */
  pong(ping: number): void;
  /** The client has read buffered data. `bufferedBytes` tells how much is left. */
  drained(): void;
  /** The connection is closed, by either side. Called exactly once, with 1006 if there was no close frame. */
  closed(code: number, reason: string): void;
}

/** A client's request for a WebSocket. */
export interface SocketRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** From `X-API-Key`, `Authorization: Bearer` or the session cookie; null without one. */
  readonly credential: string | null;
  readonly requestId: RequestId;
}

/** A path that accepts WebSocket handshakes. */
export interface SocketRoute {
  readonly path: `/${string}`;
  /** Largest message in bytes. A longer one closes the connection with 1009. */
  readonly maxMessageBytes: number;
  /** What a connection may send at any time, in units of `socket-budget.ts`. More is shared by the account. */
  readonly pace: BucketSize;
  /** Returns the handler of the new connection, or throws a GatewayError that answers the handshake as JSON. */
  accept(request: SocketRequest): SocketHandler;
}
