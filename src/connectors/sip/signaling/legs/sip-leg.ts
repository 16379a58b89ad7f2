import { GatewayError } from '../../../../base/errors.ts';
import { match } from '../../../../base/match.ts';
import type { PostDialStep } from '../../../../base/post-dial.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { Clock } from '../../../../base/time.ts';
import type { MediaEvent } from '../../../../media/media-leg.ts';
import type { LegObserver, SendsDtmf } from '../../../contract/call-leg.ts';
import type { Session } from '../core/sip-core.ts';
import type { SipRoute } from '../sip-route.ts';
import { DigitFilter } from './digit-filter.ts';
import type { LegMedia } from './leg-media.ts';
import { LegSession } from './leg-session.ts';
import { PostDialPlayer } from './post-dial-player.ts';

/** Why a call waits while keys are pressed. */
const ENTERING = 'entering the meeting id';

/** What a leg of either direction is made of. */
export interface LegDeps {
  readonly route: SipRoute;
  readonly media: LegMedia;
  readonly clock: Clock;
  readonly observer: LegObserver;
}

/** The common part of inbound and outbound legs: ending once, media, digits, and the established dialog. */
export class SipLeg implements SendsDtmf {
  readonly route: SipRoute;
  readonly media: LegMedia;
  readonly clock: Clock;
  readonly #observer: LegObserver;
  readonly #digits: DigitFilter;
  readonly #released = Promise.withResolvers<void>();
  readonly #flowing = Promise.withResolvers<void>();
  #ended = false;
  #isAnswered = false;
  #isHeld = false;
  #postDial: PostDialPlayer | null = null;
  #session: LegSession | null = null;

  constructor({ route, media, clock, observer }: LegDeps) {
    this.route = route;
    this.media = media;
    this.clock = clock;
    this.#observer = observer;
    this.#digits = new DigitFilter(clock);
    media.watch(() => this.#tellHold());
  }

  /** Resolves once the peer has been told, or the attempt given up. */
  get released(): Promise<void> {
    return this.#released.promise;
  }

  get dtmf(): SendsDtmf {
    return this;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  ringing(): void {
    if (!this.#ended) this.#observer.ringing();
  }

  earlyMedia(): void {
    if (!this.#ended) this.#observer.earlyMedia();
  }

  /** Takes over a dialog established by an INVITE. */
  establish(
    session: Session,
    role: 'caller' | 'callee',
    acknowledged: (sdp: string) => Promise<void>,
  ): LegSession {
    this.#session = new LegSession(session, {
      role,
      media: this.media,
      clock: this.clock,
      contact: () => this.route.contact,
      acknowledged,
      ended: (termination) => {
        this.end('remote', this.#postDial?.hungUp(termination) ?? termination);
        this.release();
      },
      lost: (termination) => this.bye('lost', termination),
      digit: (digit) => this.#digit(digit, 'info'),
    });
    return this.#session;
  }

  /** Reports that media flows both ways and the peer knows it. The keys of a dial string are pressed first. */
  async answered(postDial: readonly PostDialStep[] = []): Promise<void> {
    await this.media.confirmAnswered();
    if (postDial.length > 0) await this.#play(postDial);
    if (this.#ended) return;
    this.#isAnswered = true;
    this.#observer.answered();
    this.#tellHold();
  }

  #tellHold(): void {
    const { isHeld } = this.media;
    if (this.#ended || !this.#isAnswered || isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#observer.held(isHeld);
  }

  async #play(steps: readonly PostDialStep[]): Promise<void> {
    if (this.#ended) return;
    this.#observer.waiting(ENTERING);
    const line = {
      flowing: this.#flowing.promise,
      press: (keys: string) => this.media.command('press', keys),
      silence: (mostMs: number) => this.media.command('silence', mostMs),
    };
    this.#postDial = new PostDialPlayer(steps, line, this.clock);
    try {
      await this.#postDial.play();
    } catch (error) {
      if (!this.#ended)
        throw new Error(`the keys could not be pressed: ${messageOf(error)}`, { cause: error });
    }
  }

  readonly onMediaEvent = (event: MediaEvent): void => {
    return match(event, 'type', {
      flowing: () => this.#flowing.resolve(),
      dtmf: (event) => this.#digit(event.digit, 'rtp'),
      stalled: (event) =>
        this.bye('lost', {
          result: 'disconnected',
          reason: `no RTP for ${Math.round(event.silentMs / 1000)} s`,
        }),
    });
  };

  /** Ends the leg for its observer. Only the first call counts. */
  end(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#postDial?.stop();
    this.media.release();
    this.#observer.ended(by, termination);
  }

  /** Sends BYE in the established dialog and ends the leg. Releases the leg when the peer has answered. */
  bye(by: 'local' | 'lost', termination: Termination): void {
    if (this.#session === null || this.#ended) return;
    void this.#session.bye().then(() => this.release());
    this.end(by, termination);
  }

  release(): void {
    this.#released.resolve();
  }

  async sendDtmf(digits: string): Promise<void> {
    if (this.#session === null || this.#ended) throw new GatewayError('call_not_active');
    if (this.media.dtmfByRtp) await this.media.command('dtmf', digits);
    else await this.#session.sendInfoDigits(digits);
  }

  #digit(digit: string, way: 'rtp' | 'info'): void {
    if (!this.#ended && this.#digits.passes(digit, way)) this.#observer.dtmf(digit);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
