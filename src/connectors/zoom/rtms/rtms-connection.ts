import { Backoff } from '../../../base/backoff.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { mayPass, type RtmsNews } from './rtms-protocol.ts';
import { type HandshakeAnswer, RtmsSocket } from './rtms-socket.ts';

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
