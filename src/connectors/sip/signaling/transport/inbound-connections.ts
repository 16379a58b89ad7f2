import type { Clock } from '../../../../base/time.ts';
import { RateLimit } from '../guard/rate-limit.ts';
import type { SipObserver } from '../sip-observer.ts';

/** Connection limit per trunk address. Any account can name an address, so no address may take all places. */
const MAX_PER_KNOWN_ADDRESS = 32;
/** Limit on strangers' connections that have not yet sent a message belonging to us. */
const MAX_UNPROVEN = 64;
const MAX_PER_STRANGER = 8;
/**
 * Limit on strangers' new connections. A TLS handshake costs about a millisecond before anything is known of the peer.
 */
const MAX_STRANGERS_PER_S = 20;
/** Enough for an INVITE, which is all that a provider calling from a new address needs to send. */
export const UNPROVEN_BYTES = 16_384;
export const UNPROVEN_MS = 5_000;
/** Idle timeout of a stranger's connection after it is proven. */
export const IDLE_STRANGER_MS = 300_000;

/** One connection's slot. Both methods are safe to call twice. */
export interface InboundPlace {
  /** The address belongs to a trunk. */
  readonly isKnown: boolean;
  /** Marks the connection as having sent a message that belongs to us. */
  proven(): void;
  leave(): void;
}

/** Limits inbound connections. Connections beyond the limits are closed as soon as they open. */
export class InboundConnections {
  readonly #isKnown: (host: string) => boolean;
  readonly #observer: SipObserver;
  readonly #opened: RateLimit;
  readonly #perAddress = new Map<string, number>();
  #unproven = 0;

  /** `isKnown` tells whether an address belongs to a trunk; others are strangers. */
  constructor(clock: Clock, observer: SipObserver, isKnown: (host: string) => boolean) {
    this.#isKnown = isKnown;
    this.#observer = observer;
    this.#opened = new RateLimit(clock, MAX_STRANGERS_PER_S);
  }

  /** Returns null when a limit is reached. */
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
