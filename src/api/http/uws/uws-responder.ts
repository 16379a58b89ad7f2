import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { Backlog, UnreadConnection } from '../answer/backlog.ts';
import { type Bytes, byteLength, type Piece } from '../answer/reply.ts';
import type { AnswerListener, Responder } from '../answer/responder.ts';
import type { Pace } from './pace.ts';

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** The headers of a JSON answer, written in one library call: a call costs as much as all the bytes it writes. */
const JSON_HEADERS = 'application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store';

/** Longest body sent with `#endAndClose`. Any network accepts this much at once. */
const LONGEST_WITH_CLOSE_BYTES = 16_384;

/**
 * An answer over uWebSockets.js. The library serves all requests received in one piece at once and appends their
 * answers to an unbounded buffer. Therefore every body is offered with `tryEnd`, which sends only what the network
 * accepts; a reference to the rest is kept here. Until then the request counts as unanswered, and the library closes
 * the connection if another request arrives on it.
 */
export class UwsResponder implements Responder, UnreadConnection {
  readonly #response: HttpResponse;
  readonly #bounds: Bounds;
  /** Whether no later request on the connection is served. */
  readonly #isLast: boolean;
  #listener: AnswerListener | null = null;
  #isWatched = false;
  #isOver = false;
  /** The part of the body that the network has not accepted. */
  #remainder: Remainder | null = null;
  /** Buffered bytes of a chunked stream; 0 while there is room, -1 if the body is not chunked. */
  #chunkBytes = -1;

  constructor(response: HttpResponse, bounds: Bounds, isLast = false) {
    this.#response = response;
    this.#bounds = bounds;
    this.#isLast = isLast;
  }

  remoteAddress(): string {
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
  }

  watch(listener: AnswerListener): void {
    this.#listener = listener;
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#response.onAborted(() => this.#aborted());
  }

  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.#response.onData(take);
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#response.resume();
  }

  cork(write: () => void): void {
    this.#response.cork(write);
  }

  writeStatus(status: number): void {
    // The library writes 200 by default.
    if (status !== 200) this.#response.writeStatus(STATUS_LINES.get(status) ?? `${status}`);
  }

  writeHeader(name: string, value: string): void {
    this.#response.writeHeader(name, value);
  }

  writeJsonHeaders(): void {
    this.#response.writeHeader('Content-Type', JSON_HEADERS);
  }

  end(body: Bytes, close: boolean, listener: AnswerListener): void {
    this.#listener = listener;
    if (close || this.#isLast) this.#endLast(body);
    else if (this.#bounds.pace.isExceeded) this.#later(() => this.#begin(body));
    else this.#begin(body);
  }

  endWithoutBody(lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void {
    this.#listener = listener;
    if (close || this.#isLast || !this.#bounds.pace.mayEndUnseen())
      return this.#endAndClose(closingHead(lengthBytes));
    if (lengthBytes !== undefined) this.#response.writeHeader('Content-Length', String(lengthBytes));
    this.#response.endWithoutBody();
    this.#sent();
  }

  startBody(lengthBytes: number | undefined, listener: AnswerListener): void {
    this.watch(listener);
    if (lengthBytes === undefined) this.#chunkBytes = 0;
    else this.#remainder = new Remainder(this.#response, lengthBytes);
    this.#goOnWhenWritable();
  }

  write(chunk: Uint8Array): boolean {
    if (this.#remainder === null) return this.#writeChunk(chunk);
    this.#remainder.add(chunk);
    this.#response.cork(() => this.#offer());
    if (this.#isOver || this.unreadBytes() === 0) return true;
    this.#bounds.backlog.add(this);
    return false;
  }

  endBody(): void {
    this.#response.cork(() => this.#response.end());
    this.#sent();
  }

  close(): void {
    if (!this.#isOver) this.#response.close();
  }

  /** UnreadConnection: number of unread bytes. */
  unreadBytes(): number {
    return this.#remainder?.bytes ?? Math.max(0, this.#chunkBytes);
  }

  /** UnreadConnection: drops a client that does not read. */
  drop(): void {
    this.close();
  }

  #begin(body: Bytes): void {
    if (body === '') return this.#endEmpty();
    if (typeof body === 'string' || body instanceof Uint8Array) {
      this.#bounds.pace.spend(body.length);
      if (this.#bounds.pace.mayEndUnasked(body)) {
        this.#response.end(body);
        return this.#sent();
      }
      // A total of 0 means the length of this body.
      if (this.#response.tryEnd(body, 0)[1]) return this.#sent();
      this.#remainder = new Remainder(this.#response, byteLength(body));
      this.#remainder.add(body, this.#response.getWriteOffset());
    } else {
      this.#remainder = new Remainder(this.#response, byteLength(body));
      for (const piece of body) this.#remainder.add(piece);
      this.#offer();
      if (this.#isOver) return;
    }
    if (this.#listener !== null) this.watch(this.#listener);
    this.#goOnWhenWritable();
    this.#bounds.backlog.add(this);
  }

  #endEmpty(): void {
    if (!this.#bounds.pace.mayEndUnseen()) return this.#endAndClose(closingHead(0));
    this.#response.end();
    this.#sent();
  }

  #offer(): void {
    if (this.#remainder?.offer()) this.#sent();
  }

  #goOnWhenWritable(): void {
    this.#response.onWritable(() => {
      // The library buffers the whole chunk itself.
      if (this.#chunkBytes > 0) this.#chunkBytes = 0;
      this.#offer();
      if (this.#isOver || this.unreadBytes() > 0) return true;
      this.#bounds.backlog.remove(this);
      this.#listener?.room();
      return true;
    });
  }

  #writeChunk(chunk: Uint8Array): boolean {
    let hasRoom = true;
    this.#response.cork(() => {
      hasRoom = this.#response.write(chunk);
    });
    if (hasRoom) return true;
    this.#chunkBytes = chunk.byteLength;
    this.#bounds.backlog.add(this);
    return false;
  }

  /**
   * Runs an action in a later turn of the event loop. If another request arrives before then, the library closes the
   * connection.
   */
  #later(action: () => void): void {
    if (this.#listener !== null) this.watch(this.#listener);
    setImmediate(() => {
      if (!this.#isOver) this.#response.cork(action);
    });
  }

  /**
   * Ends the connection's last answer. A short body is sent whole while closing. A long one announces `Connection:
   * close` and takes its time.
   */
  #endLast(body: Bytes): void {
    const bytes = byteLength(body);
    if (bytes <= LONGEST_WITH_CLOSE_BYTES) return this.#endAndClose(closingBody(body, bytes));
    this.#response.writeHeader('Connection', 'close');
    this.#later(() => this.#begin(body));
  }

  /**
   * Sends the last answer of a connection and closes it. Otherwise the library would serve the other requests of the
   * same piece and keep a connection that is not read. The rest of the answer is written in a later turn, as the value
   * of the last header line.
   */
  #endAndClose(rest: Buffer): void {
    this.#later(() => {
      // The library appends the line break, which completes the answer.
      this.#response.writeHeader('Connection', rest);
      setImmediate(() => this.#closeAfterAnswer());
    });
  }

  #closeAfterAnswer(): void {
    if (this.#isOver) return;
    this.#sent();
    this.#response.close();
  }

  #sent(): void {
    this.#isOver = true;
    if (this.#remainder !== null) this.#bounds.backlog.remove(this);
    this.#listener?.sent();
  }

  #aborted(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#bounds.backlog.remove(this);
    this.#listener?.aborted();
  }
}

/** The text after `Connection: ` of an answer without a body, up to but not including its last line break. */
function closingHead(lengthBytes: number | undefined): Buffer {
  const length = lengthBytes === undefined ? '' : `Content-Length: ${lengthBytes}\r\n`;
  return Buffer.from(`close\r\n${length}`);
}

/** The same for an answer with a body. It is sent as one chunk, because only a chunked body ends with a line break. */
function closingBody(body: Bytes, bytes: number): Buffer {
  if (bytes === 0) return closingHead(0);
  const pieces: readonly Piece[] = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  const head = `close\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`;
  return Buffer.concat([head, ...pieces, '\r\n0\r\n'].map((piece) => Buffer.from(piece)));
}

/** Limits shared by all answers of a server. */
export interface Bounds {
  readonly backlog: Backlog;
  readonly pace: Pace;
}

/** The unsent part of a body of known length. Offers it to the network piece by piece, without copies. */
class Remainder {
  readonly #response: HttpResponse;
  readonly #lengthBytes: number;
  readonly #pieces: Uint8Array[] = [];

  constructor(response: HttpResponse, lengthBytes: number) {
    this.#response = response;
    this.#lengthBytes = lengthBytes;
  }

  get bytes(): number {
    let bytes = 0;
    for (const piece of this.#pieces) bytes += piece.byteLength;
    return bytes;
  }

  /** Adds a piece, minus the first `takenBytes`, which the network has already accepted. */
  add(piece: Piece, takenBytes = 0): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes.byteLength > takenBytes) this.#pieces.push(bytes.subarray(takenBytes));
  }

  /** Offers as much as the network accepts. Returns true when the body is complete. */
  offer(): boolean {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const before = this.#response.getWriteOffset();
      const [isTaken, isDone] = this.#response.tryEnd(piece, this.#lengthBytes);
      if (isDone) return true;
      const takenBytes = isTaken ? piece.byteLength : this.#response.getWriteOffset() - before;
      if (takenBytes === piece.byteLength) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(takenBytes);
      if (!isTaken) return false;
    }
    return false;
  }
}
