import type { IncomingInviteRequest } from 'sip.js/lib/core/index.js';
import type { CancelTimer } from '../../../base/time.ts';
import type { PlatformLeg, SendsDtmf } from '../../contract/connector.ts';
import { sdpBody } from './leg-session.ts';
import { ReliableRinging } from './reliable-ringing.ts';
import type { PeerDescription } from './sdp-peer.ts';
import type { SipLeg } from './sip-leg.ts';

/** A caller that hears nothing for 500 ms repeats its INVITE; RFC 3261 section 17.2.1 gives us 200 ms. */
const TRYING_MS = 100;

type State = 'ringing' | 'answering' | 'established' | 'closed';

/** A call that rings us (RFC 3261 section 13.3). */
export class InboundLeg implements PlatformLeg, SendsDtmf {
  readonly #leg: SipLeg;
  readonly #request: IncomingInviteRequest;
  readonly #offer: PeerDescription | null;
  readonly #reliable: ReliableRinging | null;
  #state: State = 'ringing';
  #cancelTrying: CancelTimer;

  /** `offer`: null when the caller leaves that to us. */
  constructor(
    leg: SipLeg,
    request: IncomingInviteRequest,
    offer: PeerDescription | null,
    wantsReliable: boolean,
  ) {
    this.#leg = leg;
    this.#request = request;
    this.#offer = offer;
    this.#reliable = wantsReliable
      ? new ReliableRinging(request, leg.clock, () =>
          this.#refuseWith(504, 'the caller did not acknowledge ringing'),
        )
      : null;
    this.#cancelTrying = leg.clock.after(TRYING_MS, () => void request.trying());
    // What answers itself at once has no need to ring.
    queueMicrotask(() => this.#ring());
  }

  get released(): Promise<void> {
    return this.#leg.released;
  }

  accept(): void {
    if (this.#state !== 'ringing') return;
    this.#state = 'answering';
    void this.#answer().catch((error: unknown) => {
      this.#refuseWith(500, messageOf(error));
    });
  }

  refuse(): void {
    if (!this.#isPending()) return;
    this.#reject(603);
    this.#leg.end('local', { result: 'refused', reason: 'refused' });
    this.#leg.release();
  }

  hangUp(): void {
    if (this.#state === 'established') {
      return this.#leg.bye('local', { result: 'completed', reason: 'hung up' });
    }
    if (!this.#isPending()) return;
    this.#reject(480);
    this.#leg.end('local', { result: 'missed', reason: 'not answered' });
    this.#leg.release();
  }

  /** The caller has given up. */
  cancelled(): void {
    if (!this.#isPending()) return;
    this.#reject(487);
    this.#leg.end('remote', { result: 'missed', reason: 'caller hung up' });
    this.#leg.release();
  }

  sendDtmf(digits: string): Promise<void> {
    return this.#leg.sendDtmf(digits);
  }

  #ring(): void {
    if (this.#state !== 'ringing') return;
    this.#cancelTrying();
    if (this.#reliable === null) this.#request.progress({ statusCode: 180 });
    else this.#reliable.start();
  }

  #isPending(): boolean {
    return this.#state === 'ringing' || this.#state === 'answering';
  }

  async #answer(): Promise<void> {
    const { media, trunk, onMediaEvent } = this.#leg;
    const way = [trunk.reachableHost, trunk.settings.srtp, onMediaEvent] as const;
    if (!media.openSoon(...way)) await media.open(...way);
    if (this.#state !== 'answering') return;
    const content = this.#offer === null ? media.offer() : media.answer(this.#offer);
    if (content === null) return this.#refuseWith(488, 'the offer has no codec in common');
    this.#reliable?.stop();
    this.#cancelTrying();
    const { session } = this.#request.accept({ statusCode: 200, body: sdpBody(content) });
    this.#state = 'established';
    this.#leg.establish(session, 'callee', (sdp) => this.#acknowledged(sdp));
  }

  /** With the ACK the call stands; when ours was the offer, it brings the answer. */
  async #acknowledged(sdp: string): Promise<void> {
    const { media } = this.#leg;
    try {
      if (!media.isAgreed && !(await media.acceptAnswer(sdp))) {
        return this.#leg.bye('lost', { result: 'failed', reason: 'the answer has no codec in common' });
      }
      await this.#leg.answered();
    } catch (error) {
      this.#leg.bye('lost', { result: 'failed', reason: messageOf(error) });
    }
  }

  #refuseWith(status: number, reason: string): void {
    if (!this.#isPending()) return this.#leg.bye('lost', { result: 'failed', reason });
    this.#reject(status);
    this.#leg.end('lost', { result: 'failed', reason });
    this.#leg.release();
  }

  #reject(statusCode: number): void {
    this.#reliable?.stop();
    this.#cancelTrying();
    this.#state = 'closed';
    try {
      this.#request.reject({ statusCode });
    } catch {
      // The transaction is over already; there is nobody left to tell.
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
