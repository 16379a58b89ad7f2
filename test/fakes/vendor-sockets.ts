import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../src/base/time.ts';

/** The WebSockets of one endpoint of a vendor. */
export class VendorSockets {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #clock: Clock;
  readonly #openSince = new Map<WebSocket, number>();
  #billedMs = 0;
  /** Sockets that were ever opened. */
  total = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get open(): number {
    return this.#openSince.size;
  }

  /** Time for which sockets have been open, which is what some vendors bill. */
  get billedMs(): number {
    const now = this.#clock.monotonicMs();
    return [...this.#openSince.values()].reduce((sum, since) => sum + now - since, this.#billedMs);
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer, take: (socket: WebSocket) => void): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.total += 1;
      this.#openSince.set(socket, this.#clock.monotonicMs());
      socket.on('error', () => {});
      socket.on('close', () => this.#end(socket));
      take(socket);
    });
  }

  /** Cuts all connections without a close frame. */
  cutAll(): void {
    for (const socket of this.#openSince.keys()) socket.terminate();
  }

  #end(socket: WebSocket): void {
    this.#billedMs += this.#clock.monotonicMs() - (this.#openSince.get(socket) ?? 0);
    this.#openSince.delete(socket);
  }
}
