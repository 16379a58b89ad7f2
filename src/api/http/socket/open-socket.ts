import type { Backlog, UnreadConnection } from '../answer/backlog.ts';
import type { Socket, SocketHandler } from './socket.ts';
import {
  BINARY,
  FAULT,
  PING,
  type Price,
  SCRAP,
  SCRAP_BYTES,
  type SocketBudget,
  TEXT,
  UNHEARD,
} from './socket-budget.ts';

/** Results of `send`: 0 if part of the message is buffered, 2 if it did not fit into the buffer (1 if it was sent). */
export const BUFFERED = 0;
export const DROPPED = 2;

/**
 * One WebSocket of a server library. Sockets of uWebSockets.js already have this shape, so the fast path needs no
 * wrapper. It must not be used after the library has reported the close.
 */
export interface SocketWire {
  /** Sends a message and copies it before returning. Returns BUFFERED, 1 or DROPPED. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  ping(payload: Uint32Array): void;
  cork(send: () => void): void;
  /** Bytes that the network has not accepted yet. */
  getBufferedAmount(): number;
  /** Closes with a close frame. */
  end(code: number, reason: string): void;
  /** Drops the connection. */
  close(): void;
  /** Passes a message to the half of the handler that is on the connection's thread. Missing: it is this one. */
  toHalf?(message: unknown): void;
}

/** Payload of the gateway's pings, reused for all of them. */
const pingNumber = new Uint32Array(1);

/** RFC 6455, section 5.2. */
const MAX_FRAME_HEAD_BYTES = 14;
/** WebSocket close code (RFC 6455, section 7.4.1). */
const POLICY_VIOLATION = 1008;

/** What a WebSocket of a route works with. */
export interface OpenSocketOptions {
  readonly handler: SocketHandler;
  readonly maxMessageBytes: number;
  readonly budget: SocketBudget;
  readonly backlog: Backlog;
  readonly onError: (error: unknown) => void;
}

/**
 * Connects a WebSocket of the server library with a route's handler. A handler that throws closes only its own
 * connection.
 */
export class OpenSocket implements Socket, UnreadConnection {
  readonly #handler: SocketHandler;
  readonly #maxMessageBytes: number;
  readonly #budget: SocketBudget;
  readonly #backlog: Backlog;
  readonly #onError: (error: unknown) => void;
  #ws: SocketWire | null = null;
  /** Whether the send buffer may hold bytes. Caching this is cheaper than asking the library. */
  #buffering = false;
  #heardBytes = 0;

  constructor({ handler, maxMessageBytes, budget, backlog, onError }: OpenSocketOptions) {
    this.#handler = handler;
    this.#maxMessageBytes = maxMessageBytes;
    this.#budget = budget;
    this.#backlog = backlog;
    this.#onError = onError;
  }

  get toHalf(): ((message: unknown) => void) | null {
    const ws = this.#ws;
    return ws?.toHalf === undefined ? null : (message) => ws.toHalf?.(message);
  }

  beginHalf(): unknown {
    return this.#handler.beginHalf?.();
  }

  get accountId(): string {
    return this.#handler.accountId;
  }

  /** At least as many bytes as all messages, pings and pongs of the client took. */
  get heardBytes(): number {
    return this.#heardBytes;
  }

  sendText(text: string): boolean {
    return this.#ws !== null && this.#sent(this.#ws.send(text, false));
  }

  sendBinary(bytes: Uint8Array, ping?: number): boolean {
    const ws = this.#ws;
    if (ws === null) return false;
    if (ping === undefined) return this.#sent(ws.send(bytes, true));
    let sent = false;
    ws.cork(() => {
      sent = this.#sent(ws.send(bytes, true));
      if (!sent) return;
      pingNumber[0] = ping;
      ws.ping(pingNumber);
      this.#budget.pinged();
    });
    // Whether the network accepted everything is known only after the packet is sent.
    this.#buffering = true;
    return sent;
  }

  cork(send: () => void): void {
    if (this.#ws === null) return send();
    this.#ws.cork(send);
    this.#buffering = true;
  }

  bufferedBytes(): number {
    if (!this.#buffering || this.#ws === null) return 0;
    const bytes = this.#ws.getBufferedAmount();
    this.#buffering = bytes > 0;
    return bytes;
  }

  close(code: number, reason: string): void {
    this.#ws?.end(code, reason);
  }

  faulted(): void {
    this.#pays(FAULT, 0);
  }

  /** UnreadConnection: number of unread bytes. */
  unreadBytes(): number {
    return this.bufferedBytes();
  }

  /** UnreadConnection: drops the connection because the total limit was exceeded. */
  drop(): void {
    this.#ws?.close();
  }

  attach(ws: SocketWire): void {
    this.#ws = ws;
    this.#guard(() => this.#handler.opened(this));
  }

  /** The client has sent more than a budget's worth of what is no message, ping or pong. */
  sentUnheard(): void {
    this.#budget.ban(UNHEARD);
    this.close(POLICY_VIOLATION, UNHEARD.reason);
  }

  /** The client was sent a ping by somebody else. */
  pinged(): void {
    this.#budget.pinged();
  }

  receive(message: ArrayBuffer, isBinary: boolean): void {
    if (!this.#pays(priceOf(message, isBinary), message.byteLength)) return;
    if (message.byteLength > this.#maxMessageBytes) {
      this.close(1009, `Message exceeds ${this.#maxMessageBytes} bytes`);
    } else if (isBinary) {
      this.#receiveBinary(message);
    } else {
      this.#guard(() => this.#handler.text(Buffer.from(message).toString('utf8')));
    }
  }

  /** A message of the half that is on the connection's thread. */
  fromHalf(message: unknown): void {
    this.#guard(() => this.#handler.fromHalf?.(message));
  }

  /** The library answers it. */
  receivePing(bytes: number): void {
    this.#pays(PING, bytes);
  }

  receivePong(message: ArrayBuffer): void {
    if (!this.#pays(this.#budget.priceOfPong(), message.byteLength)) return;
    // Ignores the library's own pings, which are empty.
    if (message.byteLength !== pingNumber.byteLength) return;
    this.#guard(() => this.#handler.pong(new Uint32Array(message)[0] as number));
  }

  drained(): void {
    if (this.bufferedBytes() === 0) this.#backlog.remove(this);
    this.#guard(() => this.#handler.drained());
  }

  detach(code: number, reason: string): void {
    this.#ws = null;
    this.#backlog.remove(this);
    try {
      this.#handler.closed(code, reason);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Closing stops the library from handling what else has arrived. */
  #pays(price: Price, bytes: number): boolean {
    this.#heardBytes += bytes + MAX_FRAME_HEAD_BYTES;
    const isPaid = this.#budget.pay(price, bytes);
    if (!isPaid) this.close(POLICY_VIOLATION, price.reason);
    return isPaid;
  }

  #sent(answer: number): boolean {
    if (answer === BUFFERED) {
      this.#buffering = true;
      // The handler decides how long the client may take, because buffered call audio is soon out of date.
      this.#backlog.add(this, true);
    }
    return answer !== DROPPED;
  }

  /** Called fifty times a second, so it avoids creating a closure. */
  #receiveBinary(message: ArrayBuffer): void {
    try {
      this.#handler.binary(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#onError(error);
    this.close(1011, 'Internal error');
  }
}

function priceOf({ byteLength }: ArrayBuffer, isBinary: boolean): Price {
  if (!isBinary) return TEXT;
  return byteLength < SCRAP_BYTES ? SCRAP : BINARY;
}
