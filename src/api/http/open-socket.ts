import type * as uWS from 'uWebSockets.js';
import type { Socket, SocketHandler } from './socket.ts';

/** The library's answer to a send that went beyond the connection's buffer. */
const DROPPED = 2;

/** One WebSocket between the server library and a route's handler. A handler that throws costs its own connection only. */
export class OpenSocket implements Socket {
  readonly #handler: SocketHandler;
  readonly #maxMessageBytes: number;
  readonly #onError: (error: unknown) => void;
  #ws: uWS.WebSocket<unknown> | null = null;

  constructor(handler: SocketHandler, maxMessageBytes: number, onError: (error: unknown) => void) {
    this.#handler = handler;
    this.#maxMessageBytes = maxMessageBytes;
    this.#onError = onError;
  }

  sendText(text: string): boolean {
    return this.#ws !== null && this.#ws.send(text, false, false) !== DROPPED;
  }

  sendBinary(bytes: Uint8Array): boolean {
    return this.#ws !== null && this.#ws.send(bytes, true, false) !== DROPPED;
  }

  ping(text: string): void {
    this.#ws?.ping(text);
  }

  bufferedBytes(): number {
    return this.#ws?.getBufferedAmount() ?? 0;
  }

  close(code: number, reason: string): void {
    this.#ws?.end(code, reason);
  }

  attach(ws: uWS.WebSocket<unknown>): void {
    this.#ws = ws;
    this.#guard(() => this.#handler.opened(this));
  }

  receive(message: ArrayBuffer, isBinary: boolean): void {
    if (message.byteLength > this.#maxMessageBytes) {
      this.close(1009, `Message exceeds ${this.#maxMessageBytes} bytes`);
    } else if (isBinary) {
      this.#guard(() => this.#handler.binary(new Uint8Array(message)));
    } else {
      this.#guard(() => this.#handler.text(Buffer.from(message).toString('utf8')));
    }
  }

  receivePong(message: ArrayBuffer): void {
    this.#guard(() => this.#handler.pong(Buffer.from(message).toString('utf8')));
  }

  drained(): void {
    this.#guard(() => this.#handler.drained());
  }

  detach(code: number, reason: ArrayBuffer): void {
    this.#ws = null;
    try {
      this.#handler.closed(code, Buffer.from(reason).toString('utf8'));
    } catch (error) {
      this.#onError(error);
    }
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#onError(error);
      this.close(1011, 'Internal error');
    }
  }
}
