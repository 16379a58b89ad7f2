import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { SpaceEvent } from './space.ts';

/** An event of an account. */
export type VendorEvent = SpaceEvent & { readonly id: number };

const Acknowledgement = z.strictObject({ ack: z.int() });

/**
 * The events of one account. They go to its socket, in order, and again to each new socket until they are acknowledged.
 */
export class EventFeed {
  readonly #events: VendorEvent[] = [];
  #socket: WebSocket | null = null;
  #lastId = 0;

  /** Events that were not acknowledged yet. */
  get pending(): number {
    return this.#events.length;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  push(told: SpaceEvent): void {
    const event = { id: ++this.#lastId, ...told };
    this.#events.push(event);
    this.#socket?.send(JSON.stringify(event));
  }

  /** A new socket replaces the former one. */
  attach(socket: WebSocket): void {
    this.disconnect();
    this.#socket = socket;
    socket.on('message', (data) => this.#acknowledge(socket, String(data)));
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
    });
    for (const event of this.#events) socket.send(JSON.stringify(event));
  }

  disconnect(): void {
    this.#socket?.terminate();
    this.#socket = null;
  }

  #acknowledge(socket: WebSocket, text: string): void {
    const read = Acknowledgement.safeParse(JSON.parse(text));
    if (!read.success) return socket.close(4000, 'not an acknowledgement');
    while (this.#events[0] && this.#events[0].id <= read.data.ack) this.#events.shift();
  }
}
