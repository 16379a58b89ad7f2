import type { Clock } from '../../../base/time.ts';
import { RateLimit } from './rate-limit.ts';
import type { SipObserver } from './sip-observer.ts';

/** Connections of strangers that have not yet shown a message that is ours. */
const MAX_UNPROVEN = 64;
const MAX_PER_ADDRESS = 8;
/** A TLS handshake costs about a millisecond before anything is known of the peer. */
const MAX_OPENED_PER_S = 20;
/** A provider that calls from a new address has no more to send than an INVITE. */
export const UNPROVEN_BYTES = 16_384;
export const UNPROVEN_MS = 5_000;
/** Once proven, a connection of a stranger is kept while it is used. */
export const IDLE_STRANGER_MS = 300_000;

/** The place of one stranger's connection. Both are safe to call twice. */
export interface StrangerPlace {
  /** It has sent a message that is ours. */
  proven(): void;
  leave(): void;
}

/** Limits on connections from addresses that are no trunk's: beyond them a connection is closed as soon as it opens. */
export class StrangerConnections {
  readonly #isKnown: (host: string) => boolean;
  readonly #observer: SipObserver;
  readonly #opened: RateLimit;
  readonly #perAddress = new Map<string, number>();
  #unproven = 0;

  constructor(clock: Clock, observer: SipObserver, isKnown: (host: string) => boolean) {
    this.#isKnown = isKnown;
    this.#observer = observer;
    this.#opened = new RateLimit(clock, MAX_OPENED_PER_S);
  }

  isKnown(host: string): boolean {
    return this.#isKnown(host);
  }

  /** Null: there is no room. */
  enter(host: string): StrangerPlace | null {
    const ofAddress = this.#perAddress.get(host) ?? 0;
    const isFull = this.#unproven >= MAX_UNPROVEN || ofAddress >= MAX_PER_ADDRESS;
    if (isFull || this.#opened.isUsedUp('')) {
      this.#observer.count('connection_refused');
      return null;
    }
    this.#opened.use('');
    this.#unproven += 1;
    this.#perAddress.set(host, ofAddress + 1);
    return this.#place(host);
  }

  #place(host: string): StrangerPlace {
    let state: 'unproven' | 'proven' | 'left' = 'unproven';
    const proven = (): void => {
      if (state !== 'unproven') return;
      state = 'proven';
      this.#unproven -= 1;
    };
    const leave = (): void => {
      if (state === 'left') return;
      proven();
      state = 'left';
      const others = this.#perAddress.get(host)! - 1;
      if (others === 0) this.#perAddress.delete(host);
      else this.#perAddress.set(host, others);
    };
    return { proven, leave };
  }
}
