import { GatewayError } from '../../base/errors.ts';
import type { Termination } from '../../base/termination.ts';
import type { LegObserver, PlatformLeg, SendsDtmf } from '../contract/call-leg.ts';

export interface DialIn<Place> {
  /** Finds out whom to dial. Rejects with a GatewayError; settles soon after `signal` aborts. */
  find(signal: AbortSignal): Promise<Place>;
  /** URL of the place, when it was made for this call; null: it was there. */
  madeFor?(place: Place): string | null;
  /** Dials. Everything that follows is reported to `observer`. */
  dial(place: Place, observer: LegObserver): PlatformLeg;
  /** The call is active. `signal` aborts when it is over. */
  follow?(place: Place, signal: AbortSignal): void;
}

const CANCELLED: Termination = { result: 'no_answer', reason: 'cancelled before it was answered' };

/** A call into a meeting whose number or address is looked up first. */
export class DialInLeg<Place> implements PlatformLeg {
  readonly #dialIn: DialIn<Place>;
  readonly #observer: LegObserver;
  readonly #over = new AbortController();
  readonly #released = Promise.withResolvers<void>();
  #leg: PlatformLeg | null = null;

  constructor(dialIn: DialIn<Place>, observer: LegObserver) {
    this.#dialIn = dialIn;
    this.#observer = observer;
    void this.#open();
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  get dtmf(): SendsDtmf {
    return {
      sendDtmf: async (digits) => {
        const dtmf = this.#leg?.dtmf;
        if (dtmf === undefined) throw new GatewayError('call_not_active');
        await dtmf.sendDtmf(digits);
      },
    };
  }

  /** No-op: only inbound legs can be accepted. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    if (this.#leg !== null) this.#leg.hangUp();
    else this.#end('local', CANCELLED);
  }

  async #open(): Promise<void> {
    const { signal } = this.#over;
    try {
      const place = await this.#dialIn.find(signal);
      if (signal.aborted) return;
      const url = this.#dialIn.madeFor?.(place) ?? null;
      if (url !== null) this.#observer.created(url);
      const leg = this.#dialIn.dial(place, this.#observerOf(place));
      this.#leg = leg;
      void leg.released.then(this.#released.resolve);
    } catch (error) {
      const { message } = error instanceof GatewayError ? error : new GatewayError('platform_failed');
      this.#end('lost', { result: 'failed', reason: message });
    }
  }

  #observerOf(place: Place): LegObserver {
    const observer = this.#observer;
    return {
      ringing: () => observer.ringing(),
      waiting: (reason) => observer.waiting(reason),
      created: (url) => observer.created(url),
      answered: () => {
        observer.answered();
        this.#dialIn.follow?.(place, this.#over.signal);
      },
      capabilities: (list) => observer.capabilities(list),
      participants: (list) => observer.participants(list),
      speaking: (voice, on) => observer.speaking(voice, on),
      chat: (message) => observer.chat(message),
      said: (line) => observer.said(line),
      dtmf: (digit) => observer.dtmf(digit),
      ended: (by, termination) => {
        this.#over.abort();
        observer.ended(by, termination);
      },
    };
  }

  /** Ends the call before it was dialled. Only the first call counts. */
  #end(by: 'local' | 'lost', termination: Termination): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#observer.ended(by, termination);
    this.#released.resolve();
  }
}
