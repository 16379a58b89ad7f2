import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { Backlog, Waiting } from '../backlog.ts';
import { type Bytes, byteLength, type Piece } from '../reply.ts';
import type { AnswerListener, Responder } from '../responder.ts';
import type { Pace } from './pace.ts';

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** The headers of every JSON answer in one call of the library, which costs as much as all the bytes it writes. */
const JSON_HEADERS = 'application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store';

const NOTHING = new Uint8Array();

/**
 * An answer over uWebSockets.js. The library serves all requests that came in one piece in one go and appends answers
 * to a buffer without bound. So every body is offered with `tryEnd`, which takes no more than the network does; the
 * rest waits here, as a reference. Meanwhile the request counts as unanswered, and the library closes a connection
 * on which another one comes.
 */
export class UwsResponder implements Responder, Waiting {
  readonly #response: HttpResponse;
  readonly #backlog: Backlog;
  readonly #pace: Pace;
  #listener: AnswerListener | null = null;
  #isWatched = false;
  #isOver = false;
  /** Of the body, head not included; undefined: chunked. */
  #lengthBytes: number | undefined;
  /** What the network has not taken; then what comes after it. */
  #rest: Uint8Array = NOTHING;
  #pieces: readonly Piece[] = [];
  #isStream = false;

  constructor(response: HttpResponse, backlog: Backlog, pace: Pace) {
    this.#response = response;
    this.#backlog = backlog;
    this.#pace = pace;
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
    if (close) this.#endAndClose(body, byteLength(body));
    else if (this.#pace.isExceeded) this.#later(() => this.#begin(body));
    else this.#begin(body);
  }

  endWithoutBody(lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void {
    this.#listener = listener;
    if (close || !this.#pace.mayEndUnseen()) return this.#endAndClose('', lengthBytes);
    if (lengthBytes !== undefined) this.#response.writeHeader('Content-Length', String(lengthBytes));
    this.#response.endWithoutBody();
    this.#sent();
  }

  startBody(lengthBytes: number | undefined, listener: AnswerListener): void {
    this.#lengthBytes = lengthBytes;
    this.#isStream = true;
    this.watch(listener);
    this.#response.onWritable(() => {
      this.#goOn();
      return true;
    });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#lengthBytes === undefined) return this.#writeChunk(chunk);
    this.#rest = chunk;
    this.#response.cork(() => this.#offer());
    return this.#isOver || this.#hasRoom();
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
    return this.#rest.byteLength + byteLength(this.#pieces);
  }

  /** Waiting: the client does not read. */
  drop(): void {
    if (!this.#isOver) this.#response.close();
  }

  #begin(body: Bytes): void {
    if (body === '') return this.#endEmpty();
    if (Array.isArray(body)) {
      this.#pieces = body;
      this.#lengthBytes = byteLength(body);
      this.#offer();
    } else {
      const whole = body as Piece;
      const [, isDone] = this.#response.tryEnd(whole, 0);
      if (isDone) return this.#sent();
      this.#rest = bytesOf(whole).subarray(this.#response.getWriteOffset());
      this.#lengthBytes = byteLength(whole);
    }
    if (!this.#isOver) this.#hold();
  }

  #endEmpty(): void {
    if (!this.#pace.mayEndUnseen()) return this.#endAndClose('', 0);
    this.#response.end();
    this.#sent();
  }

  /** Waits until the client has read, for as long as it goes on reading. */
  #hold(): void {
    if (this.#listener !== null) this.watch(this.#listener);
    this.#response.onWritable(() => {
      this.#goOn();
      return true;
    });
    this.#backlog.add(this);
  }

  /** Offers all that there is to the network, as far as it takes it. */
  #offer(): void {
    for (;;) {
      if (this.#rest.byteLength === 0) {
        const [next, ...later] = this.#pieces;
        if (next === undefined) return;
        this.#rest = bytesOf(next);
        this.#pieces = later;
        continue;
      }
      const before = this.#response.getWriteOffset();
      const [isTaken, isDone] = this.#response.tryEnd(this.#rest, this.#lengthBytes as number);
      if (isDone) return this.#sent();
      const takenBytes = isTaken ? this.#rest.byteLength : this.#response.getWriteOffset() - before;
      this.#rest = this.#rest.subarray(takenBytes);
      if (this.#rest.byteLength > 0) {
        if (this.#isStream) this.#backlog.add(this);
        return;
      }
    }
  }

  /** The network has room again. */
  #goOn(): void {
    // Of a chunk all is in the library's buffer.
    if (this.#lengthBytes === undefined) this.#rest = NOTHING;
    else this.#offer();
    if (this.#isOver || !this.#hasRoom()) return;
    this.#backlog.remove(this);
    if (this.#isStream) this.#listener?.room();
  }

  #hasRoom(): boolean {
    return this.#rest.byteLength === 0 && this.#pieces.length === 0;
  }

  #writeChunk(chunk: Uint8Array): boolean {
    let hasRoom = true;
    this.#response.cork(() => {
      hasRoom = this.#response.write(chunk);
    });
    if (hasRoom) return true;
    this.#rest = chunk;
    this.#backlog.add(this);
    return false;
  }

  /** In another turn of the event loop: whoever has sent another request by then is hung up on. */
  #later(action: () => void): void {
    if (this.#listener !== null) this.watch(this.#listener);
    setImmediate(() => {
      if (!this.#isOver) this.#response.cork(action);
    });
  }

  /**
   * Ends with the last answer of a connection. The library would go on serving what came in the same piece, and would
   * keep a connection that is not read. So the rest of the answer goes out as one header line, later, and then the
   * connection is closed.
   */
  #endAndClose(body: Bytes, lengthBytes: number | undefined): void {
    const length = lengthBytes === undefined ? '' : `\r\nContent-Length: ${lengthBytes}`;
    const text = Buffer.concat([
      Buffer.from(`close${length}\r\n\r\n`),
      ...(Array.isArray(body) ? body : [body as Piece]).map(bytesOf),
    ]);
    this.#later(() => {
      this.#response.writeHeader('Connection', text);
      setImmediate(() => this.drop());
    });
  }

  #sent(): void {
    this.#isOver = true;
    this.#backlog.remove(this);
    this.#listener?.sent();
  }

  #aborted(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#backlog.remove(this);
    this.#listener?.aborted();
  }
}

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
}
