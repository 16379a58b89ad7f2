import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { BUFFERED, DROPPED, type SocketWire } from '../socket/open-socket.ts';

/** Send buffer limit per connection; messages beyond it are dropped. Routes stay far below it by their own policies. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576;
const SENT = 1;
/** Longest reason of a close frame (RFC 6455, section 5.5.1). */
const MAX_REASON_BYTES = 123;

/** A WebSocket of the ws package. */
export class NodeSocket implements SocketWire {
  readonly #ws: WebSocket;
  readonly #stream: Duplex;
  readonly #closed: (code: number, reason: string) => void;
  #isOpen = true;
  #isAlive = true;

  /** `closed` is called exactly once, whichever side closes. */
  constructor(ws: WebSocket, stream: Duplex, closed: (code: number, reason: string) => void) {
    this.#ws = ws;
    this.#stream = stream;
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(message: string | Uint8Array, isBinary: boolean): number {
    const bytes = Buffer.byteLength(message);
    if (this.#ws.bufferedAmount + bytes > MAX_BUFFERED_BYTES) return DROPPED;
    this.#ws.send(typeof message === 'string' ? message : Buffer.from(message), { binary: isBinary });
    return this.#ws.bufferedAmount > 0 ? BUFFERED : SENT;
  }

  ping(payload: Uint32Array): void {
    this.#ws.ping(Buffer.from(payload.buffer.slice(0), payload.byteOffset, payload.byteLength));
  }

  cork(send: () => void): void {
    this.#stream.cork();
    try {
      send();
    } finally {
      this.#stream.uncork();
    }
  }

  getBufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  end(code: number, reason: string): void {
    const cut = cutToBytes(reason, MAX_REASON_BYTES);
    this.#ws.close(code, cut);
    this.over(code, cut);
  }

  close(): void {
    this.#ws.terminate();
    this.over(1006, '');
  }

  over(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#closed(code, reason);
  }

  /** Records a sign of life from the client. */
  hear(): void {
    this.#isAlive = true;
  }

  /** Pings the client. Drops the connection if nothing was heard since the last ping. */
  ask(): void {
    if (!this.#isAlive) return this.close();
    this.#isAlive = false;
    if (this.#isOpen) this.#ws.ping();
  }
}

/** The longest prefix of a text that fits into `maxBytes`, in whole characters. */
function cutToBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
