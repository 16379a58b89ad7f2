import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limit on pipelined requests waiting for an earlier answer. Another request closes the connection. */
const MAX_WAITING = 100;
/** How long the input after an unreadable request is discarded before the connection is closed. */
const LINGER_MS = 1_000;

/** A parsed request and its response. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Serves one connection's requests in order. Node's http starts all pipelined requests at once. Here, the next one
 * starts after the network has accepted the whole previous answer, and reading pauses while a request is waiting.
 */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #serve: (turn: Turn) => void;
  readonly #waiting: Turn[] = [];
  #current: Turn | null = null;
  /** The request that the parser started last. */
  #latest: IncomingMessage | null = null;
  /** The request whose body is unreadable. */
  #broken: IncomingMessage | null = null;
  /** The error answer for unreadable input, sent after all earlier answers. */
  #finalResponse: string | null = null;

  constructor(socket: Socket, serve: (turn: Turn) => void) {
    this.#socket = socket;
    this.#serve = serve;
    // A half-close counts as a disconnect, because the two cannot be told apart.
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
   * Handles unreadable input: sends the error after all earlier answers, then closes. If the unreadable part belongs to
   * a request body, no error is sent: that request gets its own answer in its turn, but only if it needs no body.
   */
  fail(finalResponse: string): void {
    if (this.#finalResponse !== null) return;
    if (this.#latest !== null && !this.#latest.complete) this.#broken = this.#latest;
    this.#finalResponse = this.#broken === null ? finalResponse : '';
    if (this.#current === null) this.#end(this.#finalResponse);
    else if (this.#current.request === this.#broken) this.#socket.destroy();
  }

  #begin(turn: Turn): void {
    this.#current = turn;
    turn.response.once('close', () => setImmediate(() => this.#next()));
    this.#serve(turn);
    if (turn.request === this.#broken && !turn.response.writableEnded) this.#socket.destroy();
  }

  #next(): void {
    this.#current = null;
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    else if (this.#finalResponse !== null) this.#end(this.#finalResponse);
    else this.#socket.resume();
  }

  /**
   * Sends the error, then closes in stages (RFC 9112 section 9.6): closing at once would reset the connection of a
   * client that is still sending, and the client would lose the answers that it has not read yet.
   */
  #end(finalResponse: string): void {
    const socket = this.#socket;
    if (socket.writable) socket.end(finalResponse);
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
    socket.resume();
  }
}
