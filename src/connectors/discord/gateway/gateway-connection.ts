import { WebSocket } from 'ws';
import { cutText } from '../../../base/cut-text.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { GatewayClose } from './gateway-close.ts';
import { type Dispatch, Hello, OP, type Payload, readPayload } from './gateway-payload.ts';

/** The largest payload, of a big guild, has a few megabytes. */
const MAX_FRAME_BYTES = 16 * 1_024 * 1_024;
/** From connecting to Hello. */
const HELLO_DEADLINE_MS = 20_000;
const CLOSE_FRAME_MS = 1_000;
/** Any code but 1000 and 1001 keeps the session, so that it can be resumed. */
const KEEPS_SESSION = 4_200;
const ENDS_SESSION = 1_000;
const MAX_WORDS = 120;

export interface ConnectionObserver {
  /** Discord waits for Identify or Resume. */
  hello(): void;
  dispatch(event: Dispatch): void;
  invalidSession(isResumable: boolean): void;
  /** The sequence of the last event that was received, for heartbeats. Null: none. */
  sequence(): number | null;
}

/** One WebSocket to Discord's gateway, with its heartbeats. */
export class GatewayConnection {
  readonly #clock: Clock;
  readonly #observer: ConnectionObserver;
  readonly #socket: WebSocket;
  readonly #closed = Promise.withResolvers<GatewayClose>();
  #cancelTimer: CancelTimer;
  #heartbeatMs = 0;
  #isAcknowledged = true;
  /** Why we closed it; null while it is open. */
  #reason: string | null = null;

  /** `url`: with the version and encoding. */
  constructor(url: string, clock: Clock, observer: ConnectionObserver) {
    this.#clock = clock;
    this.#observer = observer;
    this.#socket = new WebSocket(url, {
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout: HELLO_DEADLINE_MS,
    });
    this.#cancelTimer = clock.after(HELLO_DEADLINE_MS, () => this.drop('Discord did not say hello'));
    this.#socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
    // 'close' always follows.
    this.#socket.on('error', (error: Error & { readonly code?: string }) => {
      this.#reason ??= `Discord cannot be reached (${error.code ?? cutText(error.message, MAX_WORDS)})`;
    });
    this.#socket.on('close', (code, reason) => {
      this.#cancelTimer();
      const words = this.#reason ?? cutText(reason.toString('utf8'), MAX_WORDS);
      this.#reason = words;
      this.#closed.resolve({ code, words });
    });
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<GatewayClose> {
    return this.#closed.promise;
  }

  /** Ignored unless the connection is open. */
  send(op: number, data: unknown): void {
    if (this.#reason === null && this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ op, d: data }));
  }

  /** Closes the connection; the session can be resumed. Nothing is reported any more. */
  drop(reason: string): void {
    this.#close(reason, KEEPS_SESSION);
  }

  /** Closes the connection and the session: the bot goes offline. */
  signOff(): void {
    this.#close('signed off', ENDS_SESSION);
  }

  #close(reason: string, code: number): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#cancelTimer();
    if (this.#socket.readyState === WebSocket.CONNECTING) return this.#socket.terminate();
    this.#cancelTimer = this.#clock.after(CLOSE_FRAME_MS, () => this.#socket.terminate());
    this.#socket.close(code);
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#reason !== null) return;
    const payload = isBinary ? null : readPayload(data.toString('utf8'));
    if (payload === null) return this.drop('Discord sent what is no payload');
    this.#follow(payload);
  }

  #follow({ op, d, s, t }: Payload): void {
    switch (op) {
      case OP.dispatch:
        if (typeof s !== 'number' || typeof t !== 'string')
          return this.drop('Discord sent an event without a number');
        return this.#observer.dispatch({ sequence: s, type: t, data: d });
      case OP.hello:
        return this.#greeted(d);
      case OP.heartbeat:
        return this.#beat();
      case OP.heartbeatAck:
        this.#isAcknowledged = true;
        return;
      case OP.reconnect:
        return this.drop('Discord asked to reconnect');
      case OP.invalidSession:
        return this.#observer.invalidSession(d === true);
      default:
      // Newer operations are not for us.
    }
  }

  #greeted(data: unknown): void {
    const hello = Hello.safeParse(data);
    if (!hello.success || this.#heartbeatMs > 0) return this.drop('Discord sent a hello that cannot be read');
    this.#heartbeatMs = hello.data.heartbeat_interval;
    // Spread, so that many bots do not beat at once.
    this.#restartTimer(this.#heartbeatMs * Math.random());
    this.#observer.hello();
  }

  #restartTimer(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      if (!this.#isAcknowledged) return this.drop('Discord no longer answers');
      this.#isAcknowledged = false;
      this.#beat();
      this.#restartTimer(this.#heartbeatMs);
    });
  }

  #beat(): void {
    this.send(OP.heartbeat, this.#observer.sequence());
  }
}
