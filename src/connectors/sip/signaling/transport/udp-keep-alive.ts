import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { Destination } from './wire.ts';

/** Below the 30 s after which a home router may drop an idle UDP flow (RFC 5626 section 4.4.2). */
const KEEP_ALIVE_MS = 25_000;

/** Keeps routers from dropping a UDP flow to a server. TCP connections have their own keep-alive. */
export class UdpKeepAlive {
  readonly #clock: Clock;
  readonly #ping: (destination: Destination) => void;
  #cancel: CancelTimer = () => {};
  #stopped = false;

  constructor(clock: Clock, ping: (destination: Destination) => void) {
    this.#clock = clock;
    this.#ping = ping;
  }

  /** Keeps the flow to `destination` open, in place of the one before. Does nothing after `stop`. */
  keep(destination: Destination): void {
    this.#cancel();
    if (this.#stopped || destination.protocol !== 'udp') return;
    this.#cancel = this.#clock.after(KEEP_ALIVE_MS, () => {
      this.#ping(destination);
      this.keep(destination);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
