import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import { cutText } from '../../base/cut-text.ts';
import type { Reader } from '../../base/reading-time.ts';
import { SocketReading } from '../../base/socket-reading.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';

/** From connecting to the platform's first message that counts. */
const HELLO_DEADLINE_MS = 20_000;
const CLOSE_FRAME_MS = 1_000;
const MAX_WORDS = 120;

/** How a connection has ended. */
export interface SocketClose {
  /** Close code; 1006 without a close frame. */
  readonly code: number;
  /** Our reason for closing it, or the platform's words. '' if there are none. */
  readonly words: string;
}

export interface PlatformSocketOptions {
  readonly url: string;
  /** The platform's name, for reasons. */
  readonly platform: string;
  readonly maxFrameBytes: number;
  /** With which it is closed from here. Default: 1000. */
  readonly closeCode?: number;
  /** Finds the host's addresses, where servers belong to people. Default: the system's. */
  readonly lookup?: LookupFunction;
  readonly clock: Clock;
  /** In whose time messages are read. */
  readonly reader: Reader;
  /** It is open. Absent: the platform speaks first. */
  opened?(): void;
  /** Takes a text message. Not called after `close`. */
  take(text: string): void;
  /** The platform has sent something, if only a ping or a pong. */
  alive?(): void;
}

/**
 * A WebSocket that the gateway opens to a platform, from connecting to its end. It has one timer: until another is set,
 * the deadline for the platform's hello.
 */
export class PlatformSocket {
  readonly #options: PlatformSocketOptions;
  readonly #socket: WebSocket;
  readonly #reading: SocketReading;
  /** Until then it is read in its turn, also while it is closed: its far end may go on to send. */
  readonly #ending = new AbortController();
  readonly #closed = Promise.withResolvers<SocketClose>();
  #cancelTimer: CancelTimer;
  /** Why it is over; null while it is open. */
  #reason: string | null = null;
  #error: Error | null = null;
  #isAnswered = true;

  constructor(options: PlatformSocketOptions) {
    const { url, platform, maxFrameBytes, clock, reader, alive, opened, lookup } = options;
    this.#options = options;
    this.#socket = new WebSocket(url, {
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      // Other work goes on between the messages that arrive together.
      allowSynchronousEvents: false,
      followRedirects: false,
      handshakeTimeout: HELLO_DEADLINE_MS,
      ...(lookup && { lookup }),
    });
    this.#reading = new SocketReading(reader, this.#socket, this.#ending.signal, () =>
      this.close(`${platform} sends more than there is time for`),
    );
    this.#cancelTimer = clock.after(HELLO_DEADLINE_MS, () => this.close(`${platform} did not say hello`));
    if (opened) this.#socket.on('open', opened);
    if (alive) for (const sign of ['ping', 'pong', 'message'] as const) this.#socket.on(sign, alive);
    for (const sign of ['ping', 'pong'] as const) this.#socket.on(sign, () => this.#reading.control());
    this.#socket.on('message', (data: Buffer, isBinary) =>
      this.#reading.message(() => this.#take(data, isBinary)),
    );
    // 'close' always follows.
    this.#socket.on('error', (error: Error & { readonly code?: string }) => {
      this.#error ??= error;
      this.#reason ??= `${platform} could not be reached: ${error.code ?? cutText(error.message, MAX_WORDS)}`;
    });
    this.#socket.on('close', (code, reason) => {
      this.#cancelTimer();
      this.#ending.abort();
      this.#reason ??= cutText(reason.toString('utf8'), MAX_WORDS);
      this.#closed.resolve({ code, words: this.#reason });
    });
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<SocketClose> {
    return this.#closed.promise;
  }

  /** Resolves with the reason when the connection is over. */
  get ended(): Promise<string> {
    const { platform } = this.#options;
    return this.closed.then(({ code, words }) => words || `${platform} closed the connection (${code})`);
  }

  /** What has broken the connection, or kept it from being made; null: nothing has. */
  get error(): Error | null {
    return this.#error;
  }

  /** Ignored unless the connection is open. */
  send(message: object): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(message));
  }

  /** Ignored unless the connection is open. */
  ping(): void {
    if (this.#isOpen) this.#socket.ping();
  }

  /** Replaces the timer. Ignored once the connection is over or being closed. */
  setTimer(delayMs: number, run: () => void): void {
    if (this.#reason === null) this.#restartTimer(delayMs, run);
  }

  /** Calls `beat` again and again, as the timer. Closes the connection when the last one was not answered. */
  keepBeating(everyMs: number, beat: () => void, firstMs = everyMs): void {
    this.setTimer(firstMs, () => {
      if (!this.#isAnswered) return this.close(`${this.#options.platform} no longer answers`);
      this.#isAnswered = false;
      beat();
      this.keepBeating(everyMs, beat);
    });
  }

  /** The platform has answered the last beat. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** Closes the connection. Nothing is reported any more. */
  close(reason: string, code = this.#options.closeCode ?? 1_000): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#cancelTimer();
    // The answer to a close frame would not be read.
    if (this.#socket.readyState === WebSocket.CONNECTING || this.#socket.isPaused)
      return this.#socket.terminate();
    this.#restartTimer(CLOSE_FRAME_MS, () => this.#socket.terminate());
    this.#socket.close(code);
  }

  #restartTimer(delayMs: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(delayMs, run);
  }

  get #isOpen(): boolean {
    return this.#reason === null && this.#socket.readyState === WebSocket.OPEN;
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#reason !== null) return;
    if (isBinary) return this.close(`${this.#options.platform} sent what is no payload`);
    this.#options.take(data.toString('utf8'));
  }
}
