import type { CloseCode } from './close-codes.ts';

/** The socket of a session, as the session uses it. */
export interface SessionSocket {
  send(message: string | Buffer): void;
  close(code: CloseCode): void;
  /** Breaks the connection without a word. */
  cut(): void;
  /** The session is over, or has another socket. */
  release(code: CloseCode): void;
  /** Ends the connection for what the client did, and its session. */
  refuse(error: unknown): void;
}
