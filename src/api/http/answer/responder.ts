import type { Bytes } from './reply.ts';

/** Receives the outcome of an answer. */
export interface AnswerListener {
  /** The connection has accepted the whole answer. Called once, possibly before `end` returns. */
  sent(): void;
  /** A streamed answer has room for the next chunk. */
  room(): void;
  /** The client disconnected or was dropped before `sent`. Called at most once. */
  aborted(): void;
}

/**
 * The answer to one request, independent of the server library: write the status, then the headers, then end it in one
 * of several ways. It must not be used after `sent` or `aborted`. Unread bytes are held here, within the limits of
 * `Backlog`, and never in an unbounded library buffer.
 */
export interface Responder {
  /** The peer's IP address. */
  remoteAddress(): string;
  /** Sets the listener. Must be called before the library's callback returns without an answer. */
  watch(listener: AnswerListener): void;
  /** Receives the request body in chunks. A chunk is valid only until the callback returns. */
  onData(take: (chunk: ArrayBuffer | Uint8Array, isLast: boolean) => void): void;
  /** Pauses and resumes reading the body. */
  pause(): void;
  resume(): void;
  /** Sends everything written inside `write` in as few packets as possible. */
  cork(write: () => void): void;
  writeStatus(status: number): void;
  writeHeader(name: string, value: string): void;
  /** Writes the headers of a JSON answer. */
  writeJsonHeaders(): void;
  /** Ends with a body in memory. With `close`, it is the connection's last answer, and no further request is served. */
  end(body: Bytes, close: boolean, listener: AnswerListener): void;
  /** Ends without a body. `lengthBytes` is the length that a GET would have returned. */
  endWithoutBody(lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void;
  /** Starts a body of known length, or a chunked one. */
  startBody(lengthBytes: number | undefined, listener: AnswerListener): void;
  /** Writes the whole chunk. Returns false if the caller must wait for `room` before the next chunk. */
  write(chunk: Uint8Array): boolean;
  endBody(): void;
  /** Drops the connection. */
  close(): void;
}
