import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../support/wait-for.ts';
import type { VendorPart } from './speech-host.ts';

/** An HTTP answer instead of a WebSocket. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What becomes of a message that the vendor is about to send. */
export type Delivery = 'send' | 'drop' | 'cut' | 'send, then cut';

/** The vendor's end of one connection. */
export class VendorEnd {
  readonly socket: WebSocket;
  readonly #deliver: () => (message: object | Uint8Array) => Delivery;

  constructor(socket: WebSocket, deliver: () => (message: object | Uint8Array) => Delivery) {
    this.socket = socket;
    this.#deliver = deliver;
  }

  /** Sends an object as JSON, or bytes as a binary message. */
  send(message: object | Uint8Array): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const delivery = this.#deliver()(message);
    const isSent = delivery === 'send' || delivery === 'send, then cut';
    if (isSent) this.socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
    if (delivery === 'cut') this.socket.terminate();
    // Once everything before it is on its way.
    else if (delivery === 'send, then cut')
      this.socket.ping(undefined, undefined, () => this.socket.terminate());
  }
}

/** The WebSockets of one part of a vendor's API, with scripted faults. */
export abstract class SpeechSockets implements VendorPart {
  /** What clients did against the vendor's description: tests expect nothing. */
  readonly offences: string[] = [];
  /** URL and headers of every upgrade. */
  readonly upgrades: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** Text messages of all clients. */
  readonly received: string[] = [];
  /** The next connections are refused so, one each. */
  readonly refusals: UpgradeRefusal[] = [];
  /** Decides over each message that the vendor sends. */
  deliver: (message: object | Uint8Array) => Delivery = () => 'send';
  /** Sockets that were ever opened. */
  total = 0;
  readonly #server = new WebSocketServer({ noServer: true });

  /** Whether the path is one of this part. */
  protected abstract matches(path: string): boolean;
  /** Returns why the vendor does not accept the connection. Null: it does. */
  protected abstract refusalOf(url: URL, headers: IncomingHttpHeaders): UpgradeRefusal | null;
  protected abstract open(end: VendorEnd, url: URL, headers: IncomingHttpHeaders): void;

  get openSockets(): number {
    return this.#server.clients.size;
  }

  cutAll(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Ends all connections with a close frame. */
  closeAll(code: number, reason: string): void {
    for (const socket of this.#server.clients) socket.close(code, reason);
  }

  /** Waits until a client is connected, and knows it. */
  async connected(): Promise<void> {
    await waitFor('a connection', () => this.openSockets > 0);
    await this.settled();
  }

  /** Waits until each client has taken all that it was sent, and we all that it has sent. */
  async settled(): Promise<void> {
    // In the first round our last message may still be on its way.
    for (let round = 0; round < 2; round++) await Promise.all([...this.#server.clients].map(answered));
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer): boolean {
    const { url = '/', headers } = request;
    const parsed = new URL(url, 'http://fake');
    if (!this.matches(parsed.pathname)) return false;
    this.upgrades.push({ url, headers });
    const refusal = this.refusals.shift() ?? this.refusalOf(parsed, headers);
    if (refusal) refuse(stream, refusal);
    else
      this.#server.handleUpgrade(request, stream, head, (socket) => {
        this.total += 1;
        socket.on('error', () => {});
        socket.on('message', (data, isBinary) => isBinary || this.received.push(`${data}`));
        this.open(new VendorEnd(socket, () => this.deliver), parsed, headers);
      });
    return true;
  }
}

function answered(socket: WebSocket): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    socket.off('pong', end);
    socket.off('close', end);
    resolve();
  };
  socket.on('pong', end);
  socket.on('close', end);
  socket.ping();
  return promise;
}

function refuse(stream: Duplex, { status, body, headers = {} }: UpgradeRefusal): void {
  const isText = typeof body === 'string';
  const text = isText ? body : JSON.stringify(body);
  const lines = Object.entries({
    'Content-Type': isText ? 'text/plain' : 'application/json',
    'Content-Length': `${Buffer.byteLength(text)}`,
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  stream.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${text}`);
}
