import type { WebSocket } from 'uWebSockets.js';
import { ThreadUse } from '../../../base/thread-use.ts';
import type { Accepting } from '../../../native/acceptor.ts';
import type { OpenSocket } from '../socket/open-socket.ts';

const LOOK_MS = 200;
/** Below it, nobody needs to be looked for. */
const LEAST_BUSY = 0.1;
/** What a WebSocket may send within a look that is no message: pieces of the next one, and the headers of all frames. */
const MOST_UNHEARD_BYTES = 512 * 1_024;
/** How long a connection that is no WebSocket, such as an upload, is left alone. */
const FORGET_LOOKS = 50;

type Wire = Pick<WebSocket<unknown>, 'ping'>;

/** A WebSocket whose descriptor is known, and what it had sent by then. */
interface Suspect {
  readonly socket: OpenSocket;
  readonly receivedBytes: number;
  readonly heardBytes: number;
}

/**
 * Closes WebSockets that send frames without end that are no message, ping or pong: empty continuations. The library
 * handles them without telling anybody, twenty million a second, and does not tell the descriptor of a WebSocket either. The
 * kernel knows which connections receive much; whose they are is seen by sending a ping, which is written to one of them.
 */
export class UnheardFrames {
  readonly #accepting: Accepting;
  readonly #wires = new Map<OpenSocket, Wire>();
  readonly #suspects = new Map<number, Suspect>();
  /** Descriptors that belong to no WebSocket of this thread, and for how many looks that is believed. */
  readonly #others = new Map<number, number>();
  readonly #use = new ThreadUse();
  #timer: NodeJS.Timeout | null = null;

  constructor(accepting: Accepting) {
    this.#accepting = accepting;
  }

  opened(socket: OpenSocket, ws: Wire): void {
    this.#wires.set(socket, ws);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  closed(socket: OpenSocket): void {
    this.#wires.delete(socket);
    if (this.#wires.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }

  #look(): void {
    this.#judge();
    if (this.#use.busy < LEAST_BUSY) return;
    for (const [descriptor, looks] of this.#others)
      if (looks === 0) this.#others.delete(descriptor);
      else this.#others.set(descriptor, looks - 1);
    const loud = this.#accepting.loud(MOST_UNHEARD_BYTES);
    const unknown = new Set(loud.filter((descriptor) => !this.#others.has(descriptor)));
    for (const [socket, ws] of this.#wires) {
      if (unknown.size === 0) return;
      this.#find(socket, ws, unknown);
    }
    for (const descriptor of unknown) this.#others.set(descriptor, FORGET_LOOKS);
  }

  /** Closes those that have sent too much since they were found. */
  #judge(): void {
    for (const [descriptor, { socket, receivedBytes, heardBytes }] of this.#suspects) {
      const [received] = this.#accepting.traffic(descriptor);
      const isOpen = this.#wires.has(socket) && received !== undefined;
      const unheard = isOpen ? received - receivedBytes - (socket.heardBytes - heardBytes) : 0;
      if (unheard > MOST_UNHEARD_BYTES) socket.sentUnheard();
    }
    this.#suspects.clear();
  }

  /** Looks which descriptor a WebSocket has, of these. */
  #find(socket: OpenSocket, ws: Wire, descriptors: Set<number>): void {
    const before = [...descriptors].map((each) => [each, ...this.#accepting.traffic(each)] as const);
    ws.ping();
    socket.pinged();
    for (const [descriptor, receivedBytes, written] of before) {
      if (receivedBytes === undefined || this.#accepting.traffic(descriptor)[1] === written) continue;
      descriptors.delete(descriptor);
      this.#suspects.set(descriptor, { socket, receivedBytes, heardBytes: socket.heardBytes });
      return;
    }
  }
}
