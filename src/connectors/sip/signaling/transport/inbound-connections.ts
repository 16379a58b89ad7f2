import type { Clock } from '../../../../base/time.ts';
import { RateLimit } from '../guard/rate-limit.ts';
import type { SipObserver } from '../sip-observer.ts';

/** Connections that an address of a trunk may hold. Any account can name an address, so none may take all places. */
const MAX_PER_KNOWN_ADDRESS = 32;
/** Connections of strangers that have not yet shown a message that is ours. */
const MAX_UNPROVEN = 64;
const MAX_PER_STRANGER = 8;
/** A TLS handshake costs about a millisecond before anything is known of the peer. */
const MAX_STRANGERS_PER_S = 20;
/** A provider that calls from a new address has no more to send than an INVITE. */
export const UNPROVEN_BYTES = 16_384;
export const UNPROVEN_MS = 5_000;
/** Once proven, a connection of a stranger is kept while it is used. */
export const IDLE_STRANGER_MS = 300_000;

/** The place of one connection. Both methods are safe to call twice. */
export interface InboundPlace {
  /** Its address is a trunk's. */
  readonly isKnown: boolean;
  /** It has sent a message that is ours. */
  proven(): void;
  leave(): void;
}

/** Limits on connections that others open: beyond them a connection is closed as soon as it opens. */
export class InboundConnections {
  readonly #isKnown: (host: string) => boolean;
  readonly #observer: SipObserver;
  readonly #opened: RateLimit;
  readonly #perAddress = new Map<string, number>();
  #unproven = 0;

  /** `isKnown` tells the addresses of trunks from those of strangers. */
  constructor(clock: Clock, observer: SipObserver, isKnown: (host: string) => boolean) {
    this.#isKnown = isKnown;
    this.#observer = observer;
    this.#opened = new RateLimit(clock, MAX_STRANGERS_PER_S);
  }

  /** Null: there is no room. */
  enter(host: string): InboundPlace | null {
    const isKnown = this.#isKnown(host);
    const ofAddress = this.#perAddress.get(host) ?? 0;
    if (isKnown ? ofAddress >= MAX_PER_KNOWN_ADDRESS : this.#isFullOfStrangers(ofAddress)) {
      this.#observer.count('connection_refused');
      return null;
    }
    if (!isKnown) this.#opened.use('');
    this.#perAddress.set(host, ofAddress + 1);
    return this.#place(host, isKnown);
  }

  #isFullOfStrangers(ofAddress: number): boolean {
    return this.#unproven >= MAX_UNPROVEN || ofAddress >= MAX_PER_STRANGER || this.#opened.isUsedUp('');
  }

  #place(host: string, isKnown: boolean): InboundPlace {
    let isProven = isKnown;
    let hasLeft = false;
    if (!isKnown) this.#unproven += 1;
    const proven = (): void => {
      if (isProven) return;
      isProven = true;
      this.#unproven -= 1;
    };
    const leave = (): void => {
      if (hasLeft) return;
      proven();
      hasLeft = true;
      const others = this.#perAddress.get(host)! - 1;
      if (others === 0) this.#perAddress.delete(host);
      else this.#perAddress.set(host, others);
    };
    return { isKnown, proven, leave };
  }
}
