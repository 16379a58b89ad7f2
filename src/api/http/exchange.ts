import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { assert } from '../../base/assert.ts';
import { type ClientAddresses, plainAddress } from '../auth/client-addresses.ts';
import { failureReply } from './failure.ts';
import type { Bytes, Piece, Reply, ReplyHeaders, StreamReply } from './reply.ts';
import type { RequestId } from './request-id.ts';
import type { Traffic } from './traffic.ts';

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** The headers of every JSON answer in one call of the library, which costs as much as all the bytes it writes. */
const JSON_HEADERS = 'application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store';

const LINE_BREAK = /[\r\n\0]/;

/** Hears of every failure that a client is told nothing about but its request id. */
export type OnError = (error: unknown, requestId: RequestId) => void;

/** How one request went, for the metrics. */
export interface Answered {
  /** Lower case. */
  readonly method: string;
  /** The path as declared, so that ids make no series; null when no route has it. */
  readonly path: string | null;
  /** 499 when the client went away before the answer. */
  readonly status: number;
  readonly durationMs: number;
}

export type OnAnswered = (answered: Answered) => void;

const CLIENT_GONE = 499;

interface ExchangeOrigin {
  readonly requestId: RequestId;
  readonly method: string;
  readonly traffic: Traffic;
  readonly onError: OnError;
  readonly onAnswered?: OnAnswered | undefined;
  readonly addresses?: ClientAddresses | undefined;
  readonly forwardedFor?: string;
}

/**
 * One request's answer. The server library's response must not be touched once the client is gone or the answer is
 * complete: everything that writes goes through here, where that is known.
 */
export class Exchange {
  /** Path of the route that answers, once it is known. */
  routePath: string | null = null;
  /** `WWW-Authenticate` of a refusal. */
  challenge: string | undefined;
  /** What every answer carries beside its own. */
  commonHeaders: ReplyHeaders | null = null;
  readonly #response: HttpResponse;
  readonly #origin: ExchangeOrigin;
  readonly #startedMs = performance.now();
  #status = CLIENT_GONE;
  #state: 'open' | 'streaming' | 'ended' | 'aborted' = 'open';
  #aborter: AbortController | null = null;
  #watched = false;

  constructor(response: HttpResponse, origin: ExchangeOrigin) {
    this.#response = response;
    this.#origin = origin;
    origin.traffic.begin();
  }

  get requestId(): RequestId {
    return this.#origin.requestId;
  }

  /** Whose address the request comes from: IPv4, or IPv6 in its eight groups; '' once the client is gone. */
  get clientAddress(): string {
    if (!this.isOpen) return '';
    const peer = Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
    const { addresses, forwardedFor = '' } = this.#origin;
    return addresses ? addresses.of(peer, forwardedFor) : plainAddress(peer);
  }

  get isHead(): boolean {
    return this.#origin.method === 'head';
  }

  get isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'streaming';
  }

  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.#state === 'aborted') this.#aborter.abort();
    return this.#aborter.signal;
  }

  /** Must be called before the server library's callback returns without an answer. */
  watchAbort(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#response.onAborted(() => {
      this.#finish('aborted');
      this.#aborter?.abort();
    });
  }

  /** The raw response, for the code that reads the body or writes a stream while the exchange is open. */
  get response(): HttpResponse {
    assert(this.isOpen, 'response used after its end');
    return this.#response;
  }

  /**
   * Answers with a reply that is in memory (of a stream, the headers). Does nothing when the client is gone.
   * `closeConnection` is for requests that were not read to the end.
   */
  send(reply: Reply, closeConnection = false): void {
    if (this.#state !== 'open') return;
    const close = closeConnection || this.#origin.traffic.closing;
    // Once a piece is written the library cannot say any more how long they are, or that the connection closes.
    const body = close || this.isHead ? joined(bodyOf(reply)) : bodyOf(reply);
    assertHeadersAreSafe(reply);
    // Within the library's callback (nothing watched yet) the response is corked already.
    if (this.#watched) this.#response.cork(() => this.#write(reply, body, close));
    else this.#write(reply, body, close);
    this.#finish('ended');
  }

  #writeHead(reply: Reply): void {
    this.#status = reply.status;
    // 200 is what the library writes by itself.
    if (reply.status !== 200) this.#response.writeStatus(STATUS_LINES.get(reply.status) ?? `${reply.status}`);
    this.#response.writeHeader('X-Request-Id', this.requestId);
    if (reply.kind === 'json') {
      this.#response.writeHeader('Content-Type', JSON_HEADERS);
    } else {
      this.#response.writeHeader('X-Content-Type-Options', 'nosniff');
      if (reply.kind !== 'empty') this.#response.writeHeader('Content-Type', reply.contentType);
    }
    if (this.commonHeaders !== null) this.#writeHeaders(this.commonHeaders);
    if (reply.headers !== undefined) this.#writeHeaders(reply.headers);
  }

  /** Begins a streamed answer; `onRoom` is called whenever the client has taken what was buffered. */
  startStream(reply: StreamReply, onRoom: () => void): void {
    assertHeadersAreSafe(reply);
    this.#state = 'streaming';
    this.#response.onWritable(() => {
      onRoom();
      return true;
    });
    this.#response.cork(() => this.#writeHead(reply));
  }

  /**
   * Ends a streamed answer after its last chunk. Its head has gone out: for the library to say only now that the
   * connection closes would be to put a header into the body.
   */
  endStream(): void {
    this.#response.cork(() => this.#response.end());
    this.#finish('ended');
  }

  /** Marks a stream whose announced length has been written. */
  ended(): void {
    this.#finish('ended');
  }

  /** Answers an error as far as that is still possible: halfway through an answer, by dropping the connection. */
  fail(error: unknown): void {
    if (this.#state === 'aborted' && isAbortError(error)) return;
    const failure = failureReply(error, this.challenge);
    if (failure.status === 500) this.report(error);
    if (this.#state === 'open') this.send(failure);
    else if (this.#state === 'streaming') this.#response.close();
  }

  /** Tells whoever runs the gateway about a failure. */
  report(error: unknown): void {
    this.#origin.onError(error, this.requestId);
  }

  #write(reply: Reply, body: Bytes, close: boolean): void {
    this.#writeHead(reply);
    if (reply.status === 204 || reply.status === 304) {
      this.#response.endWithoutBody();
    } else if (isInPieces(body)) {
      for (const piece of body) this.#response.write(piece);
      this.#response.end();
    } else if (this.isHead) {
      this.#writeLength(reply.kind === 'stream' ? reply.lengthBytes : Buffer.byteLength(body));
      this.#response.endWithoutBody();
    } else {
      this.#response.end(body, close);
    }
  }

  #writeLength(lengthBytes: number | undefined): void {
    if (lengthBytes !== undefined) this.#response.writeHeader('Content-Length', String(lengthBytes));
  }

  #writeHeaders(headers: ReplyHeaders): void {
    for (const name in headers)
      for (const value of valuesOf(headers[name]!)) this.#response.writeHeader(name, value);
  }

  #finish(state: 'ended' | 'aborted'): void {
    if (!this.isOpen) return;
    this.#state = state;
    this.#origin.traffic.finish();
    this.#origin.onAnswered?.({
      method: this.#origin.method,
      path: this.routePath,
      status: state === 'aborted' ? CLIENT_GONE : this.#status,
      durationMs: performance.now() - this.#startedMs,
    });
  }
}

/** The server library writes header values as they are; a line break in one would start a header of its own. */
function assertHeadersAreSafe(reply: Reply): void {
  if (reply.kind === 'bytes' || reply.kind === 'stream') assertIsOneLine(reply.contentType);
  for (const name in reply.headers)
    for (const value of valuesOf(reply.headers[name]!)) assertIsOneLine(value);
}

function valuesOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function assertIsOneLine(value: string): void {
  assert(!LINE_BREAK.test(value), 'header value has a line break');
}

/** What work throws that stops because its client has gone. */
function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function isInPieces(body: Bytes): body is readonly Piece[] {
  return Array.isArray(body);
}

/** In one piece. */
function joined(body: Bytes): string | Uint8Array {
  if (!isInPieces(body)) return body;
  return Buffer.concat(body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** The body of a reply that is in memory. */
function bodyOf(reply: Reply): Bytes {
  switch (reply.kind) {
    case 'json':
      return reply.text ?? JSON.stringify(reply.body);
    case 'bytes':
      return reply.body;
    case 'empty':
    case 'stream':
      return '';
  }
}
