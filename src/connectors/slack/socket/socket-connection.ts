import { WebSocket } from 'ws';
import { cutText } from '../../../base/cut-text.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { readPayload, type SocketPayload } from './socket-payload.ts';

const MAX_FRAME_BYTES = 4 * 1_024 * 1_024;
/** From connecting to Slack's hello. */
const HELLO_DEADLINE_MS = 20_000;
/** Slack pings every few seconds; our own pings show that the way back is open. */
const PING_INTERVAL_MS = 15_000;
const CLOSE_FRAME_MS = 1_000;
const MAX_WORDS = 120;

export interface SocketObserver {
  /** Slack delivers from now on. */
  hello(): void;
  /** `acknowledge` tells Slack not to repeat it. */
  delivery(payload: SocketPayload, acknowledge: () => void): void;
  /** Slack will close this connection within seconds, and wants another one. */
  refresh(): void;
}

/** One WebSocket of Socket Mode. */
export class SocketConnection {
  readonly #clock: Clock;
  readonly #observer: SocketObserver;
  readonly #socket: WebSocket;
  readonly #closed = Promise.withResolvers<string>();
  #cancelTimer: CancelTimer;
  #isGreeted = false;
  #isAlive = true;
  /** Why it is over; null while it is open. */
  #reason: string | null = null;

  constructor(url: string, clock: Clock, observer: SocketObserver) {
    this.#clock = clock;
    this.#observer = observer;
    this.#socket = new WebSocket(url, {
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout: HELLO_DEADLINE_MS,
    });
    this.#cancelTimer = clock.after(HELLO_DEADLINE_MS, () => this.drop('Slack did not say hello'));
    for (const sign of ['ping', 'pong', 'message'] as const)
      this.#socket.on(sign, () => (this.#isAlive = true));
    this.#socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
    // 'close' always follows.
    this.#socket.on('error', (error: Error & { readonly code?: string }) => {
      this.#reason ??= `Slack cannot be reached (${error.code ?? cutText(error.message, MAX_WORDS)})`;
    });
    this.#socket.on('close', (code, reason) => {
      this.#cancelTimer();
      this.#reason ??= cutText(reason.toString('utf8'), MAX_WORDS) || `Slack closed the connection (${code})`;
      this.#closed.resolve(this.#reason);
    });
  }

  /** Resolves with the reason when the connection is over. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  /** Closes the connection. Nothing is reported any more; what is not acknowledged comes again over the next one. */
  drop(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#cancelTimer();
    if (this.#socket.readyState === WebSocket.CONNECTING) return this.#socket.terminate();
    this.#cancelTimer = this.#clock.after(CLOSE_FRAME_MS, () => this.#socket.terminate());
    this.#socket.close(1_000);
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#reason !== null) return;
    const payload = isBinary ? null : readPayload(data.toString('utf8'));
    if (payload === null) return this.drop('Slack sent what is no payload');
    switch (payload.type) {
      case 'hello':
        return this.#greeted();
      case 'disconnect':
        return this.#observer.refresh();
      default:
        return this.#observer.delivery(payload, () => this.#acknowledge(payload.envelope_id));
    }
  }

  #greeted(): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    this.#watch();
    this.#observer.hello();
  }

  #watch(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(PING_INTERVAL_MS, () => {
      if (!this.#isAlive) return this.drop('Slack no longer answers');
      this.#isAlive = false;
      this.#socket.ping();
      this.#watch();
    });
  }

  #acknowledge(envelopeId: string | undefined): void {
    if (this.#reason === null && envelopeId !== undefined && this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ envelope_id: envelopeId }));
  }
}
