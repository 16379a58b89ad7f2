import type { Reader } from '../../../base/reading-time.ts';
import { Backoff, type CancelTimer, type Clock } from '../../../base/time.ts';
import { PlatformSocket } from '../../kit/platform-socket.ts';
import { keptAlive, mayPass, type RtmsMessage, type RtmsNews, readRtms } from './rtms-protocol.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** Zoom ends a stream that is not taken up again within a minute. */
const GIVE_UP_MS = 90_000;
const MAX_FRAME_BYTES = 1_048_576;
/** Zoom asks every 10 s, and wants a new connection when it has not asked for so long. */
const SILENCE_MS = 65_000;
/** For the answer to a ping. */
const PROBE_MS = 5_000;

export type HandshakeAnswer = Extract<RtmsMessage, { msg_type: 2 | 4 }>;

export interface RtmsConnectionOptions {
  /** What is sent first. */
  readonly hello: object;
  readonly clock: Clock;
  readonly reader: Reader;
  /** The server has accepted the handshake, again after each interruption. */
  up(answer: HandshakeAnswer): void;
  /** It is interrupted, and made again. */
  down(): void;
  take(news: RtmsNews): void;
  /** It cannot be made again, or the server refuses it. Nothing follows. */
  lost(reason: string): void;
}

/**
 * The connection to one server of a stream, its signaling or one of its media servers, which is made again whenever it breaks
 * (https://developers.zoom.us/docs/rtms/meetings/failover-reconnection/).
 */
export class RtmsConnection {
  readonly #options: RtmsConnectionOptions;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  #url: string;
  /** Null: it is closed, or about to be made again. */
  #socket: PlatformSocket | null = null;
  /** Whether the server has accepted the handshake. */
  #isUp = false;
  #cancelRetry: CancelTimer = () => {};
  #lastUpMs: number;
  #isRetired = false;

  constructor(url: string, options: RtmsConnectionOptions) {
    this.#url = url;
    this.#options = options;
    this.#lastUpMs = options.clock.monotonicMs();
    this.#open();
  }

  send(message: object): void {
    this.#socket?.send(message);
  }

  /** Zoom says that it has lost the connection, which may be one that has been replaced since. */
  interrupted(): void {
    if (!this.#isUp) return this.moved(this.#url);
    this.#socket?.ping();
    this.#expectSign(PROBE_MS);
  }

  /** Another server takes its place. */
  moved(url: string): void {
    this.#url = url;
    this.close();
    this.#options.down();
    this.#open();
  }

  /** It is not made again. What is on its way is still taken. */
  retire(): void {
    this.#isRetired = true;
    this.#cancelRetry();
  }

  /** Nothing is reported any more. */
  close(): void {
    if (this.#isUp) this.#lastUpMs = this.#options.clock.monotonicMs();
    this.#isUp = false;
    this.#cancelRetry();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close('no longer needed');
  }

  #open(): void {
    const { hello, clock, reader } = this.#options;
    const socket: PlatformSocket = new PlatformSocket({
      url: this.#url,
      platform: 'Zoom',
      maxFrameBytes: MAX_FRAME_BYTES,
      clock,
      reader,
      opened: () => socket.send(hello),
      take: (text) => this.#take(text),
      alive: () => {
        if (this.#isUp && socket === this.#socket) this.#expectSign(SILENCE_MS);
      },
    });
    this.#socket = socket;
    void socket.ended.then((reason) => (socket === this.#socket ? this.#retry(reason) : undefined));
  }

  #take(text: string): void {
    const message = readRtms(text);
    if (message === null) return;
    if (message.msg_type === 2 || message.msg_type === 4) {
      if (!this.#isUp) this.#answered(message);
    } else if (this.#isUp) {
      if (message.msg_type === 12) this.send(keptAlive(message.timestamp));
      else this.#options.take(message);
    }
  }

  #answered(answer: HandshakeAnswer): void {
    if (this.#isRetired) return this.close();
    const { status_code, reason } = answer;
    if (status_code !== 0) {
      const words = reason || `status ${status_code}`;
      return mayPass(status_code) ? this.#retry(words) : this.#lose(words);
    }
    this.#isUp = true;
    this.#expectSign(SILENCE_MS);
    this.#lastUpMs = this.#options.clock.monotonicMs();
    this.#backoff.reset();
    this.#options.up(answer);
  }

  /** Ends the connection soon if nobody is at its other end. */
  #expectSign(withinMs: number): void {
    const socket = this.#socket;
    socket?.setTimer(withinMs, () => socket.close('Zoom no longer answers'));
  }

  #retry(reason: string): void {
    this.close();
    if (this.#isRetired) return;
    const { clock, down } = this.#options;
    if (clock.monotonicMs() - this.#lastUpMs > GIVE_UP_MS) return this.#lose(reason);
    down();
    this.#cancelRetry = clock.after(this.#backoff.next(), () => this.#open());
  }

  #lose(reason: string): void {
    this.close();
    this.#options.lost(reason);
  }
}
