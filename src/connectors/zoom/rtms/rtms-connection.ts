import { Backoff } from '../../../base/backoff.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { PlatformSocket } from '../../kit/platform-socket.ts';
import { keptAlive, mayPass, type RtmsMessage, type RtmsNews, readRtms } from './rtms-protocol.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** Zoom ends a stream that is not taken up again within a minute. */
const GIVE_UP_MS = 90_000;

export interface RtmsConnectionOptions {
  readonly hello: object;
  readonly clock: Clock;
  /** The server has accepted the handshake, again after each interruption. */
  up(answer: HandshakeAnswer): void;
  /** It is interrupted, and made again. */
  down(): void;
  take(news: RtmsNews): void;
  /** It cannot be made again, or the server refuses it. Nothing follows. */
  lost(reason: string): void;
}

/**
 * The connection to one server of a stream, which is made again whenever it breaks
 * (https://developers.zoom.us/docs/rtms/meetings/failover-reconnection/).
 */
export class RtmsConnection {
  readonly #options: RtmsConnectionOptions;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  #url: string;
  #socket: RtmsSocket;
  #cancelRetry: CancelTimer = () => {};
  #lastUpMs: number;
  #isRetired = false;

  constructor(url: string, options: RtmsConnectionOptions) {
    this.#url = url;
    this.#options = options;
    this.#lastUpMs = options.clock.monotonicMs();
    this.#socket = this.#open();
  }

  send(message: object): void {
    this.#socket.send(message);
  }

  /** Zoom says that it has lost the connection, which may be one that has been replaced since. */
  interrupted(): void {
    if (this.#socket.isUp) this.#socket.probe();
    else this.moved(this.#url);
  }

  /** Another server takes its place. */
  moved(url: string): void {
    this.#url = url;
    this.close();
    this.#options.down();
    this.#socket = this.#open();
  }

  /** It is not made again. What is on its way is still taken. */
  retire(): void {
    this.#isRetired = true;
    this.#cancelRetry();
  }

  /** Nothing is reported any more. */
  close(): void {
    if (this.#socket.isUp) this.#lastUpMs = this.#options.clock.monotonicMs();
    this.#cancelRetry();
    this.#socket.close();
  }

  #open(): RtmsSocket {
    const { hello, clock, take } = this.#options;
    return new RtmsSocket({
      url: this.#url,
      hello,
      clock,
      take,
      answered: (answer) => this.#answered(answer),
      closed: (reason) => this.#retry(reason),
    });
  }

  #answered(answer: HandshakeAnswer): void {
    if (this.#isRetired) return this.close();
    const { status_code, reason } = answer;
    if (status_code !== 0) {
      const words = reason || `status ${status_code}`;
      return mayPass(status_code) ? this.#retry(words) : this.#lose(words);
    }
    this.#lastUpMs = this.#options.clock.monotonicMs();
    this.#backoff.reset();
    this.#options.up(answer);
  }

  #retry(reason: string): void {
    this.close();
    if (this.#isRetired) return;
    const { clock, down } = this.#options;
    if (clock.monotonicMs() - this.#lastUpMs > GIVE_UP_MS) return this.#lose(reason);
    down();
    this.#cancelRetry = clock.after(this.#backoff.next(), () => {
      this.#socket = this.#open();
    });
  }

  #lose(reason: string): void {
    this.close();
    this.#options.lost(reason);
  }
}

const MAX_FRAME_BYTES = 1_048_576;
/** Zoom asks every 10 s, and wants a new connection when it has not asked for so long. */
const SILENCE_MS = 65_000;
/** For the answer to a ping. */
const PROBE_MS = 5_000;

export type HandshakeAnswer = Extract<RtmsMessage, { msg_type: 2 | 4 }>;

interface RtmsSocketOptions {
  readonly url: string;
  /** What is sent first. */
  readonly hello: object;
  readonly clock: Clock;
  answered(answer: HandshakeAnswer): void;
  take(news: RtmsNews): void;
  /** It is over, and not by `close`. */
  closed(reason: string): void;
}

/** One WebSocket of a stream, to its signaling or to one of its media servers. */
class RtmsSocket {
  readonly #options: RtmsSocketOptions;
  readonly #socket: PlatformSocket;
  #isClosed = false;
  #isAnswered = false;

  constructor(options: RtmsSocketOptions) {
    const { url, hello, clock, closed } = options;
    this.#options = options;
    this.#socket = new PlatformSocket({
      url,
      platform: 'Zoom',
      maxFrameBytes: MAX_FRAME_BYTES,
      clock,
      opened: () => this.#socket.send(hello),
      take: (text) => this.#take(text),
      alive: () => {
        if (this.#isAnswered) this.#expectSign(SILENCE_MS);
      },
    });
    void this.#socket.closed.then(({ words, code }) => {
      if (!this.#isClosed) closed(words || `Zoom closed the connection (${code})`);
    });
  }

  /** Whether the server has accepted the handshake. */
  get isUp(): boolean {
    return this.#isAnswered && !this.#isClosed;
  }

  send(message: object): void {
    this.#socket.send(message);
  }

  /** Closes the connection soon if nobody is at its other end. */
  probe(): void {
    this.#socket.ping();
    this.#expectSign(PROBE_MS);
  }

  /** Nothing is reported any more. */
  close(): void {
    this.#isClosed = true;
    this.#socket.close('no longer needed');
  }

  #take(text: string): void {
    const message = readRtms(text);
    if (this.#isClosed || message === null) return;
    if (message.msg_type === 2 || message.msg_type === 4) {
      if (this.#isAnswered) return;
      this.#isAnswered = message.status_code === 0;
      this.#expectSign(SILENCE_MS);
      this.#options.answered(message);
    } else if (this.#isAnswered) {
      if (message.msg_type === 12) this.#socket.send(keptAlive(message.timestamp));
      else this.#options.take(message);
    }
  }

  #expectSign(withinMs: number): void {
    this.#socket.setTimer(withinMs, () => this.#socket.close('Zoom no longer answers'));
  }
}
