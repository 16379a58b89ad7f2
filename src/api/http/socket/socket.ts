import type { RequestId } from '../request/request-id.ts';

/**
 * One open WebSocket. Every method is safe after the close: it then does nothing. Sends return false when the message
 * was not sent: the connection is closed, or its buffer of 4 MB is full.
 */
export interface Socket {
  sendText(text: string): boolean;
  /**
   * Sends the view's bytes, of shared memory too, as one binary frame; they are copied before the call returns.
   * With `ping`, a ping with this number (below 2^32), which comes back in `pong`, follows in the same packet.
   */
  sendBinary(bytes: Uint8Array, ping?: number): boolean;
  /** What `send` sends goes out together, in as few packets as it fits in. */
  cork(send: () => void): void;
  /** Bytes accepted for sending that the network has not taken yet. */
  bufferedBytes(): number;
  /** Closes with a code (RFC 6455, section 7.4) and a reason of at most 123 bytes. */
  close(code: number, reason: string): void;
}

/** What a connection does with what arrives. */
export interface SocketHandler {
  opened(socket: Socket): void;
  text(text: string): void;
  /** The bytes are valid only until the method returns. */
  binary(bytes: ArrayBuffer): void;
  /** The answer to a ping of `sendBinary`; nothing says that the client does not make numbers up. */
  pong(ping: number): void;
  /** The client has taken data that was buffered; `bufferedBytes` says how much is left. */
  drained(): void;
  /** The connection is gone, whoever closed it; called exactly once. 1006 when there was no close frame. */
  closed(code: number, reason: string): void;
}

/** What is known of a client that asks for a WebSocket, before it gets one. */
export interface SocketRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** From `X-API-Key`, `Authorization: Bearer` or the session cookie; null without one. */
  readonly credential: string | null;
  readonly requestId: RequestId;
}

/** A path that answers WebSocket handshakes. */
export interface SocketRoute {
  readonly path: `/${string}`;
  /** Largest message in bytes; a longer one closes the connection with 1009. */
  readonly maxMessageBytes: number;
  /** Gives the handler of the new connection, or throws a GatewayError that answers the handshake as JSON. */
  accept(request: SocketRequest): SocketHandler;
}
