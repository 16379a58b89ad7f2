import { assert, unreachable } from '../../../base/assert.ts';
import { type ClientAddresses, plainAddress } from '../../auth/client-addresses.ts';
import { BodyPieces } from '../request/body-pieces.ts';
import type { RequestId } from '../request/request-head.ts';
import { failureReply } from './error-reply.ts';
import {
  type Bytes,
  byteLength,
  type Reply,
  type ReplyEnd,
  type ReplyHeaders,
  type StreamReply,
} from './reply.ts';
import type { AnswerListener, Responder } from './responder.ts';
import type { Traffic } from './traffic.ts';

const LINE_BREAK = /[\r\n\0]/;

/** Called for every failure that is reported to the client only as a request id. */
export type OnError = (error: unknown, requestId: RequestId) => void;

/** Result of one request, for the metrics. */
export interface Answered {
  /** Lower case. */
  readonly method: string;
  /** The declared path, so that ids do not create metric series; null if no route matches. */
  readonly path: string | null;
  /** 499 if the client disconnected before the answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The error's code; null if it has none. */
  readonly code: string | null;
  /** Whose credential the request had; null: none, or no valid one. */
  readonly accountId: string | null;
}

export type OnAnswered = (answered: Answered) => void;

const CLIENT_GONE = 499;
/** Why work for a client that has gone is aborted. One for all: many may go at once, and a new one takes its stack. */
const GONE = new DOMException('The client has gone', 'AbortError');

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
 * The answer to one request. A responder must not be used once the client is gone or the answer is complete, so all
 * writes go through this class, which tracks that state.
 */
export class Exchange implements AnswerListener {
  /** Path of the matching route, once known. */
  routePath: string | null = null;
  /** Whose credential the request has, once known. */
  accountId: string | null = null;
  /** The network of a stranger whose request takes turns with those of others, once known. */
  network: string | null = null;
  /** `WWW-Authenticate` header of a 401. */
  challenge: string | undefined;
  readonly #response: Responder;
  readonly #origin: ExchangeOrigin;
  readonly #startedMs = performance.now();
  /** Headers of every answer. */
  #commonHeaders: ReplyHeaders | null = null;
  #status = CLIENT_GONE;
  #code: string | null = null;
  #state: 'open' | 'streaming' | 'ended' | 'aborted' = 'open';
  #isInFlight = true;
  #aborter: AbortController | null = null;
  #watched = false;
  #onRoom: (() => void) | null = null;
  #onEnd: ((end: ReplyEnd) => void) | null = null;

  constructor(response: Responder, origin: ExchangeOrigin) {
    this.#response = response;
    this.#origin = origin;
    origin.traffic.begin();
  }

  get requestId(): RequestId {
    return this.#origin.requestId;
  }

  /** The client's IP address: IPv4, or IPv6 as eight groups; '' once the client is gone. */
  get clientAddress(): string {
    if (!this.isOpen) return '';
    const peer = this.#response.remoteAddress();
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
    if (this.#state === 'aborted') this.#aborter.abort(GONE);
    return this.#aborter.signal;
  }

  /** Adds headers to the answer, whatever it will be. */
  addHeaders(headers: ReplyHeaders | null): void {
    this.#commonHeaders = { ...this.#commonHeaders, ...headers };
  }

  /** Starts watching for disconnects. Must be called before the server library's callback returns without an answer. */
  watchAbort(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#response.watch(this);
  }

  /**
   * Receives the request's body in pieces. One is valid only until `take` returns. A client that sends too many of them
   * is cut: an answer would not stop the library from handling the rest.
   */
  onData(take: (piece: ArrayBuffer | Uint8Array, isLast: boolean) => void): void {
    const pieces = new BodyPieces();
    const response = this.response;
    let isCut = false;
    response.onData((piece, isLast) => {
      if (isCut) return;
      if (pieces.take(piece.byteLength)) return take(piece, isLast);
      isCut = true;
      this.#origin.traffic.fragmented += 1;
      response.close();
    });
  }

  /** The responder, for reading the body or writing a stream while the exchange is open. */
  get response(): Responder {
    assert(this.isOpen, 'response used after its end');
    return this.#response;
  }

  /**
   * Sends a reply that is in memory, or only the headers of a stream. Does nothing if the client is gone. Set
   * `closeConnection` for requests that were not read to the end or whose end is ambiguous.
   */
  send(reply: Reply, closeConnection = false): void {
    const ended = 'ended' in reply ? reply.ended : undefined;
    if (this.#state !== 'open') return ended?.('unwritten');
    assertHeadersAreSafe(reply);
    const body = bodyOf(reply);
    this.#code = codeIn(reply);
    this.#state = 'ended';
    if (ended) this.#onEnd = ended;
    // Inside the library's callback (before `watchAbort`) the response is already corked.
    if (this.#watched) this.#response.cork(() => this.#write(reply, body, closeConnection));
    else this.#write(reply, body, closeConnection);
    this.#answered(this.#status);
  }

  /** Starts a streamed answer. `onRoom` is called each time the client has read what was buffered. */
  startStream(reply: StreamReply, onRoom: () => void): void {
    assertHeadersAreSafe(reply);
    this.#state = 'streaming';
    this.#onRoom = onRoom;
    this.#response.cork(() => {
      this.#writeHead(reply, false);
      this.#response.startBody(reply.lengthBytes, this);
    });
  }

  /** Ends a streamed answer after its last chunk. */
  endStream(): void {
    if (this.#state === 'streaming') this.#response.endBody();
  }

  /** AnswerListener. */
  room(): void {
    this.#onRoom?.();
  }

  /** AnswerListener: the connection has taken the whole answer. */
  sent(): void {
    if (this.#state === 'streaming') {
      this.#state = 'ended';
      this.#answered(this.#status);
    }
    this.#end('written');
    this.#leave();
  }

  /** AnswerListener: the client is gone, possibly before it has received the whole answer. */
  aborted(): void {
    const wasOpen = this.isOpen;
    if (wasOpen) this.#state = 'aborted';
    this.#origin.traffic.departures.run(() => this.#depart(wasOpen));
  }

  #depart(wasOpen: boolean): void {
    if (wasOpen) {
      this.#answered(CLIENT_GONE);
      this.#aborter?.abort(GONE);
    }
    this.#end('unclear');
    this.#leave();
  }

  /** Answers with an error. If the answer has already started, drops the connection instead. */
  fail(error: unknown, closeConnection = false): void {
    if (this.#state === 'aborted' && isAbortError(error)) return;
    const failure = failureReply(error, this.challenge);
    if (failure.status === 500) this.report(error);
    if (this.#state === 'open') this.send(failure, closeConnection);
    else if (this.#state === 'streaming') this.#response.close();
  }

  /** Reports a failure to the operator. */
  report(error: unknown): void {
    this.#origin.onError(error, this.requestId);
  }

  #write(reply: Reply, body: Bytes, close: boolean): void {
    this.#writeHead(reply, close);
    if (reply.status === 204 || reply.status === 304) {
      this.#response.endWithoutBody(undefined, close, this);
    } else if (this.isHead) {
      const lengthBytes = reply.kind === 'stream' ? reply.lengthBytes : byteLength(body);
      this.#response.endWithoutBody(lengthBytes, close, this);
    } else {
      this.#response.end(body, close, this);
    }
  }

  /** With `isLast`, the responder itself adds `Connection: close`. */
  #writeHead(reply: Reply, isLast: boolean): void {
    this.#status = reply.status;
    this.#response.writeStatus(reply.status);
    this.#response.writeHeader('X-Request-Id', this.requestId);
    if (reply.kind === 'json') {
      this.#response.writeJsonHeaders();
    } else {
      this.#response.writeHeader('X-Content-Type-Options', 'nosniff');
      if (reply.kind !== 'empty') this.#response.writeHeader('Content-Type', reply.contentType);
    }
    if (this.#commonHeaders !== null) this.#writeHeaders(this.#commonHeaders);
    if (reply.headers !== undefined) this.#writeHeaders(reply.headers);
    if (this.#origin.traffic.closing && !isLast) this.#response.writeHeader('Connection', 'close');
  }

  #writeHeaders(headers: ReplyHeaders): void {
    for (const name in headers)
      for (const value of valuesOf(headers[name]!)) this.#response.writeHeader(name, value);
  }

  #answered(status: number): void {
    this.#origin.onAnswered?.({
      method: this.#origin.method,
      path: this.routePath,
      status,
      durationMs: performance.now() - this.#startedMs,
      code: this.#code,
      accountId: this.accountId,
    });
  }

  #end(end: ReplyEnd): void {
    const onEnd = this.#onEnd;
    this.#onEnd = null;
    onEnd?.(end);
  }

  #leave(): void {
    if (!this.#isInFlight) return;
    this.#isInFlight = false;
    this.#origin.traffic.finish();
  }
}

/** The code in the body of an error. */
function codeIn(reply: Reply): string | null {
  if (reply.kind !== 'json' || reply.status < 400) return null;
  const { code } = (reply.body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : null;
}

/** Server libraries write header values unchecked, so a line break would start another header. */
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

/** Whether the error comes from work that was aborted because the client disconnected. */
function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The body of an in-memory reply. */
function bodyOf(reply: Reply): Bytes {
  switch (reply.kind) {
    case 'json':
      return reply.text ?? JSON.stringify(reply.body);
    case 'bytes':
      return reply.body;
    case 'empty':
    case 'stream':
      return '';
    default:
      return unreachable(reply);
  }
}
