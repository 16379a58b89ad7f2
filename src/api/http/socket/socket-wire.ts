/** Results of `send`: 0 if part of the message is buffered, 2 if it did not fit into the buffer (1 if it was sent). */
export const BUFFERED = 0;
export const DROPPED = 2;

/**
 * One WebSocket of a server library. Sockets of uWebSockets.js already have this shape, so the fast path needs no
 * wrapper. It must not be used after the library has reported the close.
 */
export interface SocketWire {
  /** Sends a message and copies it before returning. Returns BUFFERED, 1 or DROPPED. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  ping(payload: Uint32Array): void;
  cork(send: () => void): void;
  /** Bytes that the network has not accepted yet. */
  getBufferedAmount(): number;
  /** Closes with a close frame. */
  end(code: number, reason: string): void;
  /** Drops the connection. */
  close(): void;
}
