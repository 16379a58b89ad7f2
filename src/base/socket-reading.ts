import type { Reader } from './reading-time.ts';

/** A socket that can be left unread for a while, so that its far end has to wait. */
export interface Pausable {
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
}

/** What a frame takes beside those who read it: the WebSocket library, and a turn of the event loop. */
const FRAME_MS = 0.01;

/** Holds a WebSocket to a foreign server to the share of its account: beyond it, the socket is not read for a while. */
export class SocketReading {
  readonly #reader: Reader;
  readonly #socket: Pausable;
  readonly #signal: AbortSignal;
  readonly #refused: () => void;

  /** `signal`: the connection is over. `refused`: others read so much that this socket had to wait for too long. */
  constructor(reader: Reader, socket: Pausable, signal: AbortSignal, refused: () => void) {
    this.#reader = reader;
    this.#socket = socket;
    this.#signal = signal;
    this.#refused = refused;
  }

  /** A ping or a pong has come: they are as much work as a message that says nothing. */
  control(): void {
    this.#reader.charge(FRAME_MS);
    this.#mayRest();
  }

  /** Takes a message. */
  message(take: () => void): void {
    this.#reader.charge(FRAME_MS);
    this.#reader.counting(take);
    this.#mayRest();
  }

  #mayRest(): void {
    if (!this.#socket.isPaused && !this.#signal.aborted && !this.#reader.mayReadOn()) void this.#rest();
  }

  /** Messages that have arrived already are still taken, and count. */
  async #rest(): Promise<void> {
    this.#socket.pause();
    try {
      await this.#reader.turn(this.#signal);
    } catch {
      if (!this.#signal.aborted) this.#refused();
    }
    this.#socket.resume();
  }
}
