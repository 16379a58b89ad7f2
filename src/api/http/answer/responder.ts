import type { Bytes } from './reply.ts';

/** Hears what becomes of an answer. */
export interface AnswerListener {
  /** The connection has taken the whole answer; called once, perhaps before `end` returns. */
  sent(): void;
  /** A streamed answer has room for more. */
  room(): void;
  /** The client went away, or was cut off, before `sent`; called at most once. */
  aborted(): void;
}

/**
 * The answer to one request, whichever server library sends it: status, then headers, then one of the ways to end. It
 * must not be touched after `sent` or `aborted`. Bytes that the client does not read wait here, under the bounds of
 * `Backlog`, never in a buffer of the library that nobody counts.
 */
export interface Responder {
  /** The other end's IP address. */
  remoteAddress(): string;
  /** Must be called before the library's callback returns without an answer. */
  watch(listener: AnswerListener): void;
  /** The request's body as it comes; a chunk is valid only until the callback returns. */
  onData(take: (chunk: ArrayBuffer | Uint8Array, isLast: boolean) => void): void;
  /** Stops and continues reading the body. */
  pause(): void;
  resume(): void;
  /** What `write` writes leaves in as few packets as it fits in. */
  cork(write: () => void): void;
  writeStatus(status: number): void;
  writeHeader(name: string, value: string): void;
  /** The headers of every JSON answer. */
  writeJsonHeaders(): void;
  /** Ends with a body in memory. With `close` it is the connection's last answer, and nothing after it is served. */
  end(body: Bytes, close: boolean, listener: AnswerListener): void;
  /** Ends without a body; `lengthBytes` is what a GET would have had. */
  endWithoutBody(lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void;
  /** Begins a body of known length, or a chunked one. */
  startBody(lengthBytes: number | undefined, listener: AnswerListener): void;
  /** Takes the whole chunk; false: wait for `room` before the next one. */
  write(chunk: Uint8Array): boolean;
  endBody(): void;
  /** Drops the connection. */
  close(): void;
}
