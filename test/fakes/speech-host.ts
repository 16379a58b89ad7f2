import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A part of a vendor's API. */
export interface VendorPart {
  /** What clients did against the vendor's description: tests expect nothing. */
  readonly offences: readonly string[];
  /** Answers a request, or returns false if it is not its own. */
  serve?(request: IncomingMessage, response: ServerResponse): boolean;
  /** Answers an upgrade, or returns false if it is not its own. */
  accept?(request: IncomingMessage, stream: Duplex, head: Buffer): boolean;
}

/** A server on loopback for the parts of a vendor's API. */
export class SpeechHost {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  readonly #scheme: 'http' | 'https';

  private constructor(server: Server, scheme: 'http' | 'https', parts: readonly VendorPart[]) {
    this.#server = server;
    this.#scheme = scheme;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      if (!parts.some((part) => part.serve?.(request, response))) response.writeHead(404).end();
    });
    server.on('upgrade', (request, stream, head) => {
      if (!parts.some((part) => part.accept?.(request, stream, head))) refuse(stream, 404, '');
    });
  }

  static start(...parts: readonly VendorPart[]): Promise<SpeechHost> {
    return SpeechHost.startAt(0, ...parts);
  }

  static async startAt(port: number, ...parts: readonly VendorPart[]): Promise<SpeechHost> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new SpeechHost(server, 'http', parts);
  }

  /** With TLS, for clients that refuse to do without. `key`, `cert`: PEM. */
  static async startSecure(
    tls: { key: Buffer; cert: Buffer },
    ...parts: readonly VendorPart[]
  ): Promise<SpeechHost> {
    const server = createSecureServer(tls).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SpeechHost(server, 'https', parts);
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get socketUrl(): string {
    return this.url.replace('http', 'ws');
  }

  /** Open connections, of requests and of WebSockets. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Cuts all connections without a word. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.cutAll();
    await once(this.#server, 'close');
  }
}

/** Answers an upgrade with an HTTP status. */
export function refuse(stream: Duplex, status: number, body: string, type = 'application/json'): void {
  const head = `HTTP/1.1 ${status} No\r\nContent-Type: ${type}\r\nConnection: close\r\n`;
  stream.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
