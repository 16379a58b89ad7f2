import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const TICKET_LIFE_MS = 30_000;

/** WebSockets that open with a ticket from the REST API: each works once, within 30 s. */
export class SocketTickets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #takers = new Map<string, (socket: WebSocket) => void>();

  constructor(http: Server) {
    http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Returns the path and query of a WebSocket that `take` will be given. */
  issue(take: (socket: WebSocket) => void): string {
    const ticket = randomBytes(16).toString('base64url');
    this.#takers.set(ticket, take);
    setTimeout(() => this.#takers.delete(ticket), TICKET_LIFE_MS).unref();
    return `/socket?ticket=${ticket}`;
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? '/', 'http://vendor').searchParams.get('ticket') ?? '';
    const take = this.#takers.get(ticket);
    this.#takers.delete(ticket);
    if (take === undefined) return void socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate());
      take(opened);
    });
  }
}
