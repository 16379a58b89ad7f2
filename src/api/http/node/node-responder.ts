import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Backlog, UnreadConnection } from '../answer/backlog.ts';
import { type Bytes, byteLength, type Piece } from '../answer/reply.ts';
import type { AnswerListener, Responder } from '../answer/responder.ts';

const NOTHING = new Uint8Array();

/** An answer sent by Node's http. */
export class NodeResponder implements Responder, UnreadConnection {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #backlog: Backlog;
  #listener: AnswerListener | null = null;
  #isOver = false;
  /** Set while bytes are waiting for the network. */
  #isWaiting = false;

  constructor(request: IncomingMessage, response: ServerResponse, backlog: Backlog) {
    this.#request = request;
    this.#response = response;
    this.#backlog = backlog;
    // Node also reports the end of an answer whose connection broke meanwhile.
    response.once('finish', () => (request.socket.destroyed ? this.#closed() : this.#sent()));
    response.once('close', () => this.#closed());
  }

  remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  watch(listener: AnswerListener): void {
    this.#listener = listener;
  }

  onData(take: (chunk: Uint8Array, isLast: boolean) => void): void {
    const request = this.#request;
    // The announced length reveals the last chunk before Node's `end` event. A chunked body has to wait for the event.
    let missingBytes = Number(request.headers['content-length'] ?? Number.NaN);
    let isWhole = false;
    request.on('data', (chunk: Buffer) => {
      missingBytes -= chunk.byteLength;
      isWhole = missingBytes === 0;
      take(chunk, isWhole);
    });
    request.once('end', () => {
      if (!isWhole) take(NOTHING, true);
    });
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(status: number): void {
    this.#response.statusCode = status;
  }

  writeHeader(name: string, value: string): void {
    // `appendHeader`, because a reply may set several cookies.
    this.#response.appendHeader(name, value);
  }

  writeJsonHeaders(): void {
    this.#response.setHeader('Content-Type', 'application/json');
    this.#response.setHeader('X-Content-Type-Options', 'nosniff');
    this.#response.setHeader('Cache-Control', 'no-store');
  }

  end(body: Bytes, close: boolean, listener: AnswerListener): void {
    this.#listener = listener;
    this.#response.setHeader('Content-Length', byteLength(body));
    if (close) this.#response.setHeader('Connection', 'close');
    const pieces = Array.isArray(body) ? body : [body as Piece];
    for (const piece of pieces.slice(0, -1)) this.#response.write(piece);
    this.#response.end(pieces.at(-1));
    this.#await();
  }

  endWithoutBody(lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void {
    this.#listener = listener;
    if (lengthBytes !== undefined) this.#response.setHeader('Content-Length', lengthBytes);
    if (close) this.#response.setHeader('Connection', 'close');
    this.#response.end();
    this.#await();
  }

  startBody(lengthBytes: number | undefined, listener: AnswerListener): void {
    this.#listener = listener;
    if (lengthBytes !== undefined) this.#response.setHeader('Content-Length', lengthBytes);
    this.#response.on('drain', () => this.#drained());
  }

  write(chunk: Uint8Array): boolean {
    const hasRoom = this.#response.write(chunk);
    if (!hasRoom) this.#await();
    return hasRoom;
  }

  endBody(): void {
    this.#response.end();
    this.#await();
  }

  close(): void {
    this.#request.socket.destroy();
  }

  /** UnreadConnection: number of unread bytes. */
  unreadBytes(): number {
    return unsentBytes(this.#request.socket);
  }

  /** UnreadConnection: drops a client that does not read. */
  drop(): void {
    this.close();
  }

  #await(): void {
    if (this.#isOver || this.unreadBytes() === 0) return;
    this.#isWaiting = true;
    this.#backlog.add(this);
  }

  #drained(): void {
    this.#leaveBacklog();
    this.#listener?.room();
  }

  #sent(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leaveBacklog();
    this.#listener?.sent();
  }

  #closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leaveBacklog();
    this.#listener?.aborted();
  }

  #leaveBacklog(): void {
    if (this.#isWaiting) this.#backlog.remove(this);
    this.#isWaiting = false;
  }
}

/** Node's internal handle. `writeQueueSize`: bytes of pending writes that the operating system has not accepted. */
interface QueueingHandle {
  readonly writeQueueSize?: number;
}

/** Bytes written to a connection that the operating system has not accepted. */
export function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle: QueueingHandle | null };
  const underWay = handle?.writeQueueSize ?? 0;
  // Node counts a pending write in full until its last byte is out. Data behind it has not started.
  return Math.max(underWay, socket.writableLength === 0 ? 0 : underWay || socket.writableLength);
}
