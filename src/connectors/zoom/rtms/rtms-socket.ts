import type { Clock } from '../../../base/time.ts';
import { PlatformSocket } from '../../kit/platform-socket.ts';
import { keptAlive, type RtmsMessage, type RtmsNews, readRtms } from './rtms-protocol.ts';

const MAX_FRAME_BYTES = 1_048_576;
/** Zoom asks every 10 s, and wants a new connection when it has not asked for so long. */
const SILENCE_MS = 65_000;
/** For the answer to a ping. */
const PROBE_MS = 5_000;

export type HandshakeAnswer = Extract<RtmsMessage, { msg_type: 2 | 4 }>;

export interface RtmsSocketOptions {
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
export class RtmsSocket {
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
