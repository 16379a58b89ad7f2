/** What `send` answers: some of it waits in the connection's buffer; it went out; it did not fit into the buffer. */
export const BUFFERED = 0;
export const DROPPED = 2;

/**
 * One WebSocket of a server library. uWebSockets.js' own sockets are of this shape, so that the quick path needs no
 * wrapper. It must not be touched after the library has told that it is closed.
 */
export interface SocketWire {
  /** Sends a message, which is copied before the call returns; answers BUFFERED, 1 or DROPPED. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  ping(payload: Uint32Array): void;
  cork(send: () => void): void;
  /** Bytes that the network has not taken yet. */
  getBufferedAmount(): number;
  /** Closes with a close frame. */
  end(code: number, reason: string): void;
  /** Drops the connection. */
  close(): void;
}
