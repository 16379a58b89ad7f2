import { Overloaded } from '../../../../base/errors.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { CancelTimer } from '../../../../base/time.ts';
import type { PlatformLeg } from '../../../contract/call-leg.ts';
import type { IncomingInviteRequest } from '../core/sip-core.ts';
import { forgetInvite } from '../core/sip-core.ts';
import type { PeerDescription } from '../sdp/sdp-peer.ts';
import { sdpBody } from './leg-session.ts';
import { reject } from './rejection.ts';
import { ReliableRinging } from './reliable-ringing.ts';
import { answeredSession } from './session-timer.ts';
import { type LegDeps, messageOf, SipLeg } from './sip-leg.ts';

/**
 * Delay before 100 Trying. Callers without a response repeat their INVITE after 500 ms; RFC 3261 section 17.2.1 gives
 * us 200 ms.
 */
const TRYING_MS = 100;

/** Data of an unanswered call. It takes several KB, so it is dropped once the call is answered or refused. */
interface Invitation {
  readonly request: IncomingInviteRequest;
  /** Null when the caller leaves the offer to us. */
  readonly offer: PeerDescription | null;
  readonly reliable: ReliableRinging | null;
}

/** An inbound call (RFC 3261 section 13.3). */
export class InboundLeg extends SipLeg implements PlatformLeg {
  /** Null once answered or refused. */
  #invitation: Invitation | null;
  #isAnswering = false;
  #opened: Promise<void> | null = null;
  #cancelTrying: CancelTimer;

  /** `offer` is null when the caller leaves the offer to us. */
  constructor(
    deps: LegDeps,
    request: IncomingInviteRequest,
    offer: PeerDescription | null,
    wantsReliable: boolean,
  ) {
    super(deps);
    const reliable = wantsReliable
      ? new ReliableRinging(request, {
          clock: deps.clock,
          accept: (sdp) => this.media.acceptAnswer(sdp),
          unacknowledged: () => this.#fail(504, 'the caller did not acknowledge the ringing response'),
        })
      : null;
    this.#invitation = { request, offer, reliable };
    this.#cancelTrying = deps.clock.after(TRYING_MS, () => void request.trying());
    // Deferred, because a call that is auto-answered at once need not ring.
    queueMicrotask(() => this.#ring());
  }

  accept(): void {
    if (this.#invitation === null || this.#isAnswering) return;
    this.#isAnswering = true;
    void this.#answer().catch((error: unknown) => {
      this.#broken(error);
    });
  }

  refuse(): void {
    this.#turnDown(603, 'local', { result: 'refused', reason: 'refused' });
  }

  hangUp(): void {
    if (this.#invitation === null) this.bye('local', { result: 'completed', reason: 'hung up' });
    else this.#turnDown(480, 'local', { result: 'missed', reason: 'not answered' });
  }

  /** Ends the leg after the caller gave up. */
  cancelled(termination: Termination): void {
    this.#turnDown(487, 'remote', termination);
  }

  #ring(): void {
    if (this.#invitation === null || this.#isAnswering) return;
    const { request, offer, reliable } = this.#invitation;
    this.#cancelTrying();
    if (reliable === null) request.progress({ statusCode: 180 });
    else if (offer !== null) reliable.start(null);
    else void this.#offer(reliable).catch((error: unknown) => this.#broken(error));
  }

  /** The first reliable response to an INVITE without an offer carries ours, and its PRACK the answer (RFC 3262 section 5). */
  async #offer(reliable: ReliableRinging): Promise<void> {
    await this.#openMedia();
    if (this.#invitation !== null) reliable.start(this.media.offer());
  }

  #openMedia(): Promise<void> {
    const { media, onMediaEvent } = this;
    this.#opened ??= media.openSoon(onMediaEvent) ? Promise.resolve() : media.open(onMediaEvent);
    return this.#opened;
  }

  async #answer(): Promise<void> {
    const { media } = this;
    await this.#openMedia();
    // While our offer rings, the call is answered only after its answer.
    await this.#invitation?.reliable?.answered;
    if (this.#invitation === null) return;
    const { request, offer, reliable } = this.#invitation;
    const hasOffered = reliable?.hasOffered === true;
    if (hasOffered && !media.isAgreed) return this.#fail(488, 'the caller did not answer our offer');
    const content = hasOffered ? null : offer === null ? media.offer() : media.answer(offer);
    if (content === null && !hasOffered) return this.#fail(488, 'the offer contains no supported codec');
    const timed = answeredSession(request.message);
    const { session } = request.accept({
      statusCode: 200,
      ...(content === null ? {} : { body: sdpBody(content) }),
      extraHeaders: [...timed.headers],
    });
    this.#settle();
    const talk = this.establish(session, 'callee', (sdp) => {
      forgetInvite(session);
      return this.#acknowledged(sdp);
    });
    talk.keepAlive(timed.interval, timed.weRefresh);
  }

  /** Completes the call on the ACK. When the offer was ours, the ACK carries the answer. */
  async #acknowledged(sdp: string): Promise<void> {
    const { media } = this;
    try {
      if (!media.isAgreed && !(await media.acceptAnswer(sdp))) {
        return this.bye('lost', { result: 'failed', reason: 'the answer contains no supported codec' });
      }
      await this.answered();
    } catch (error) {
      this.bye('lost', { result: 'failed', reason: messageOf(error) });
    }
  }

  #broken(error: unknown): void {
    this.#fail(error instanceof Overloaded ? 503 : 500, messageOf(error));
  }

  #fail(statusCode: number, reason: string): void {
    const termination: Termination = { result: 'failed', reason };
    if (this.#invitation === null) this.bye('lost', termination);
    else this.#turnDown(statusCode, 'lost', termination);
  }

  #turnDown(statusCode: number, by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (this.#invitation === null) return;
    const { request } = this.#invitation;
    this.#settle();
    try {
      reject(request, statusCode);
    } catch {
      // The transaction has already ended, so there is nothing to reject.
    }
    this.end(by, termination);
    this.release();
  }

  #settle(): void {
    this.#invitation?.reliable?.stop();
    this.#invitation = null;
    this.#cancelTrying();
    // The timer would keep a reference to the request.
    this.#cancelTrying = () => {};
  }
}
