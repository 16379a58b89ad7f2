import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** A vendor that takes any WebSocket, unless the test answers the upgrade itself. */
export class VendorServer {
  readonly sockets: WebSocket[] = [];
  readonly requests: IncomingMessage[] = [];
  /** Answers an upgrade instead of the server. */
  answer: ((stream: Duplex) => void) | null = null;
  readonly port: number;
  readonly #server: Server;
  readonly #streams = new Set<Duplex>();
  readonly #webSockets = new WebSocketServer({ noServer: true });

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('upgrade', (request, stream, head) => {
      this.#streams.add(stream);
      this.requests.push(request);
      if (this.answer) return this.answer(stream);
      this.#webSockets.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => {});
        this.sockets.push(socket);
      });
    });
  }

  static async start(): Promise<VendorServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new VendorServer(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/speech`;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  get openSockets(): number {
    return this.#webSockets.clients.size;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const stream of this.#streams) stream.destroy();
    await once(this.#server, 'close');
  }
}

/** Answers an upgrade with an HTTP error. */
export function refuseWith(status: number, body: string): (stream: Duplex) => void {
  return (stream) =>
    stream.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
