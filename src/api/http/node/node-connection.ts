import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait for the answer to one before them; one more, and the connection is closed. */
const MAX_WAITING = 100;

/** A request that Node's http has read, and its answer. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * One connection's requests, one after the other. Node's http begins all that came in one piece at once. Here the next
 * one begins when the network has taken the whole answer before it, and while one waits nothing is read.
 */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #serve: (turn: Turn) => void;
  readonly #waiting: Turn[] = [];
  #current: Turn | null = null;
  /** The request that the parser began last. */
  #latest: IncomingMessage | null = null;
  /** The answer to what could not be read, once all before it are answered. */
  #finalResponse: string | null = null;

  constructor(socket: Socket, serve: (turn: Turn) => void) {
    this.#socket = socket;
    this.#serve = serve;
    // Whoever says that nothing more comes is gone: nobody tells a client that only stops sending from one that leaves.
    socket.once('end', () => {
      if (this.isBusy) socket.destroy();
    });
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  take(turn: Turn): void {
    if (this.#finalResponse !== null) return;
    this.#latest = turn.request;
    if (this.#current === null) return this.#begin(turn);
    if (this.#waiting.length >= MAX_WAITING) {
      this.#socket.destroy();
      return;
    }
    this.#waiting.push(turn);
    this.#socket.pause();
  }

  /**
   * What follows cannot be read: answers that, after all before it, and closes. Where it is the rest of a body, it gets no
   * answer of its own: its request may have one already.
   */
  fail(finalResponse: string): void {
    if (this.#finalResponse !== null) return;
    this.#finalResponse = finalResponse;
    const isRestOfBody = this.#latest !== null && !this.#latest.complete;
    if (isRestOfBody && this.#current !== null) this.#socket.destroy();
    else if (isRestOfBody) this.#socket.destroySoon();
    else if (this.#current === null) this.#end(finalResponse);
  }

  #begin(turn: Turn): void {
    this.#current = turn;
    turn.response.once('close', () => setImmediate(() => this.#next()));
    this.#serve(turn);
  }

  #next(): void {
    this.#current = null;
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    else if (this.#finalResponse !== null) this.#end(this.#finalResponse);
    else this.#socket.resume();
  }

  #end(finalResponse: string): void {
    this.#socket.end(finalResponse, () => this.#socket.destroy());
  }
}
