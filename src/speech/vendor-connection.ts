import type { IncomingMessage } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import type { Reader } from '../base/reading-time.ts';
import { SocketReading } from '../base/socket-reading.ts';
import type { CancelTimer, Clock } from '../base/time.ts';
import { type SpeechFault, type SpeechFaultKind, vendorWords } from './speech-fault.ts';
import { readMessage, type VendorMessage } from './vendor-message.ts';
import { errorBody } from './vendor-requests.ts';

/** A vendor that answers takes a tenth of this. */
const CONNECT_DEADLINE_MS = 5_000;
/** An audio message of ElevenLabs may have several megabytes. */
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024;
/** What the vendor may leave unread. More of it means that the connection is stuck. */
const MAX_UNSENT_BYTES = 1_024 * 1_024;
/** A connection without a sign of life for two intervals is lost. */
const PING_MS = 10_000;
/** How long the vendor has to send its last results and close, and then to answer a close frame. */
const FAREWELL_MS = 1_400;
const CLOSE_FRAME_MS = 400;

/** Where a vendor is, and how it describes its faults. */
export interface VendorEndpoint {
  /** ws: or wss:, without secrets, because URLs are logged on their way. */
  readonly url: string;
  /** They carry the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Removed from whatever the vendor says. */
  readonly key: string;
  /** The vendor did not accept the connection. */
  faultOfRefusal(refusal: Refusal): SpeechFault;
  /** The vendor closed the connection. `code` is 1006 if it did so without a close frame. */
  faultOfClose(code: number, reason: string): SpeechFault;
}

/** An HTTP answer instead of a WebSocket. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** At most 16 KB. */
  readonly body: string;
}

export interface ConnectionObserver {
  opened(): void;
  message(message: VendorMessage): void;
  /** A binary message. The bytes are the receiver's. */
  binary(data: Uint8Array): void;
  /** The connection could not be opened or is lost. Nothing follows. Not reported after `close`. */
  lost(fault: SpeechFault): void;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  /** In whose time messages are read. */
  readonly reader: Reader;
}

/** One WebSocket to a vendor, from connecting to its end. */
export class VendorConnection {
  readonly #endpoint: VendorEndpoint;
  readonly #clock: Clock;
  readonly #observer: ConnectionObserver;
  readonly #socket: WebSocket;
  readonly #reading: SocketReading;
  /** Until then it is read in its turn, also while it is closed: the vendor may go on to send. */
  readonly #ending = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #state: 'live' | 'closing' | 'over' = 'live';
  #cancelTimer: CancelTimer;
  #isAlive = true;

  constructor(endpoint: VendorEndpoint, { clock, reader }: ConnectionDeps, observer: ConnectionObserver) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#observer = observer;
    this.#socket = new WebSocket(endpoint.url, OPTIONS(endpoint.headers));
    this.#reading = new SocketReading(reader, this.#socket, this.#ending.signal, () =>
      this.#lose('it sends more than there is time for'),
    );
    this.#cancelTimer = clock.after(CONNECT_DEADLINE_MS, () => this.#lose('it does not answer'));
    this.#listen();
  }

  get isOpen(): boolean {
    return this.#state !== 'over' && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends a text (string) or binary message. Ignored unless the connection is open. */
  send(message: string | Uint8Array): void {
    if (!this.isOpen) return;
    this.#socket.send(message);
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) this.#lose('it does not read what it is sent');
  }

  /** Gives the connection up because of a fault that the vendor reported in a message. */
  drop(fault: SpeechFault): void {
    if (this.#state === 'over') return;
    const isExpected = this.#state === 'closing';
    this.#state = 'over';
    this.#hangUp();
    if (!isExpected) this.#observer.lost({ ...fault, words: vendorWords(fault.words, this.#endpoint.key) });
  }

  /**
   * Sends the vendor's last message and waits until it closes, at most 2 s. Until then `message` and `binary` report
   * what it still sends.
   */
  close(farewell: readonly (string | Uint8Array)[]): Promise<void> {
    if (this.#state !== 'live') return this.#closed.promise;
    for (const message of farewell) this.send(message);
    if (this.isOpen && farewell.length > 0) {
      this.#state = 'closing';
      this.#restartTimer(FAREWELL_MS, () => this.#hangUp());
    } else {
      this.#state = 'over';
      this.#hangUp();
    }
    return this.#closed.promise;
  }

  /** The vendor has sent everything after `close`. */
  finish(): void {
    if (this.#state === 'closing') this.#hangUp();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => {
      if (this.#state !== 'live') return;
      this.#restartTimer(PING_MS, () => this.#ping());
      this.#observer.opened();
    });
    socket.on('unexpected-response', (_request, response) => void this.#refuse(response));
    for (const sign of ['ping', 'pong'] as const) socket.on(sign, () => this.#reading.control());
    socket.on('message', (data: Buffer, isBinary) => this.#reading.message(() => this.#take(data, isBinary)));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // 'close' always follows, but has no words of its own after a network failure. Some messages repeat our headers.
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lose(error.code ?? error.message));
    socket.on('close', (code, reason) => {
      this.#cancelTimer();
      this.#ending.abort();
      this.#closed.resolve();
      this.drop(this.#endpoint.faultOfClose(code, reason.toString('utf8')));
    });
  }

  #take(data: Buffer, isBinary: boolean): void {
    this.#isAlive = true;
    if (this.#state === 'over') return;
    if (isBinary) return this.#observer.binary(data);
    const message = readMessage(data.toString('utf8'));
    if (message === null) this.#lose('it sent a message that is not a JSON object');
    else this.#observer.message(message);
  }

  async #refuse(response: IncomingMessage): Promise<void> {
    const body = await errorBody(response);
    const { statusCode: status = 0, headers } = response;
    this.drop(this.#endpoint.faultOfRefusal({ status, headers, body }));
  }

  #ping(): void {
    if (!this.#isAlive) return this.#lose('it no longer answers');
    this.#isAlive = false;
    this.#socket.ping();
    this.#restartTimer(PING_MS, () => this.#ping());
  }

  #lose(why: string): void {
    this.drop({ kind: 'unreachable', words: `The connection failed: ${why}` });
  }

  /** Closes the socket by the protocol, or by force when that takes too long or it is not open yet. */
  #hangUp(): void {
    // The answer to a close frame would not be read.
    if (this.#socket.readyState === WebSocket.CONNECTING || this.#socket.isPaused) {
      this.#cancelTimer();
      this.#socket.terminate();
      return;
    }
    this.#restartTimer(CLOSE_FRAME_MS, () => this.#socket.terminate());
    this.#socket.close(1000);
  }

  #restartTimer(delayMs: number, action: () => void): void {
    this.#cancelTimer();
    if (this.#socket.readyState !== WebSocket.CLOSED) this.#cancelTimer = this.#clock.after(delayMs, action);
  }
}

/** The kind of fault that an HTTP status usually stands for. */
export function faultKindOfStatus(status: number): SpeechFaultKind {
  if (status === 401 || status === 403) return 'bad_key';
  if (status === 402) return 'out_of_funds';
  if (status === 429) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unreachable' : 'refused';
}

const OPTIONS = (headers: Readonly<Record<string, string>>): ClientOptions => ({
  headers: { ...headers },
  perMessageDeflate: false,
  // The calls of others go on between the messages that arrive together.
  allowSynchronousEvents: false,
  followRedirects: false,
  maxPayload: MAX_MESSAGE_BYTES,
});
