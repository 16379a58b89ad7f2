import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { Waiting } from '../answer/backlog.ts';
import { type Bytes, byteLength, type Piece } from '../answer/reply.ts';
import type { AnswerListener, Responder } from '../answer/responder.ts';
import type { Bounds } from './bounds.ts';
import { Remainder } from './remainder.ts';

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** The headers of every JSON answer in one call of the library, which costs as much as all the bytes it writes. */
const JSON_HEADERS = 'application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store';

/** Any network takes as much at once. */
const LONGEST_WITH_CLOSE_BYTES = 16_384;

/**
 * An answer over uWebSockets.js. The library serves all requests that came in one piece in one go and appends answers
 * to a buffer without bound. So every body is offered with `tryEnd`, which takes no more than the network does; the
 * rest waits here, as a reference. Meanwhile the request counts as unanswered, and the library closes a connection
 * on which another one comes.
 */
export class UwsResponder implements Responder, Waiting {
  readonly #response: HttpResponse;
  readonly #bounds: Bounds;
  /** Nothing that comes after the request is served. */
  readonly #isLast: boolean;
  #listener: AnswerListener | null = null;
  #isWatched = false;
  #isOver = false;
  /** What the network has not taken of a body that was offered to it. */
  #remainder: Remainder | null = null;
  /** Of a stream: 0 in the chunked form while there is room. */
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
    // 200 is what the library writes by itself.
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
    if (this.#isOver || this.waitingBytes() === 0) return true;
    this.#bounds.backlog.add(this);
    return false;
  }

  endBody(): void {
    this.#response.cork(() => this.#response.end());
    this.#sent();
  }

  close(): void {
    this.#response.close();
  }

  /** Waiting. */
  waitingBytes(): number {
    return this.#remainder?.bytes ?? Math.max(0, this.#chunkBytes);
  }

  /** Waiting: the client does not read. */
  drop(): void {
    if (!this.#isOver) this.#response.close();
  }

  #begin(body: Bytes): void {
    if (body === '') return this.#endEmpty();
    if (typeof body === 'string' || body instanceof Uint8Array) {
      this.#bounds.pace.spend(body.length);
      if (this.#bounds.pace.mayEndUnasked(body)) {
        this.#response.end(body);
        return this.#sent();
      }
      // Its length of 0 stands for that of the body.
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
      // Of a chunk all is in the library's buffer.
      if (this.#chunkBytes > 0) this.#chunkBytes = 0;
      this.#offer();
      if (this.#isOver || this.waitingBytes() > 0) return true;
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

  /** In another turn of the event loop: whoever has sent another request by then is hung up on. */
  #later(action: () => void): void {
    if (this.#listener !== null) this.watch(this.#listener);
    setImmediate(() => {
      if (!this.#isOver) this.#response.cork(action);
    });
  }

  /** A long answer takes its time, and the client is told; a short one goes out whole, and takes the connection along. */
  #endLast(body: Bytes): void {
    const bytes = byteLength(body);
    if (bytes <= LONGEST_WITH_CLOSE_BYTES) return this.#endAndClose(closingBody(body, bytes));
    this.#response.writeHeader('Connection', 'close');
    this.#later(() => this.#begin(body));
  }

  /**
   * Ends with the last answer of a connection. The library would go on serving what came in the same piece, and would
   * keep a connection that is not read. So the rest of the answer goes out as the last header line, later, and then
   * the connection is closed.
   */
  #endAndClose(rest: Buffer): void {
    this.#later(() => {
      // The library ends the line, which ends the answer.
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

/** What follows `Connection: ` up to the end of an answer without a body, without its last line break. */
function closingHead(lengthBytes: number | undefined): Buffer {
  const length = lengthBytes === undefined ? '' : `Content-Length: ${lengthBytes}\r\n`;
  return Buffer.from(`close\r\n${length}`);
}

/** The same of an answer with a body, which is in one chunk, because only that ends with a line break. */
function closingBody(body: Bytes, bytes: number): Buffer {
  if (bytes === 0) return closingHead(0);
  const pieces: readonly Piece[] = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  const head = `close\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`;
  return Buffer.concat([head, ...pieces, '\r\n0\r\n'].map((piece) => Buffer.from(piece)));
}
