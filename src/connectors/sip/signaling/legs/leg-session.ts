import type {
  Body,
  IncomingAckRequest,
  IncomingInfoRequest,
  IncomingInviteRequest,
  Session,
  SessionDelegate,
} from 'sip.js/lib/core/index.js';
import { GatewayError } from '../../../../base/errors.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import { parsePeerDescription } from '../sdp/sdp-peer.ts';
import { ALLOWED_METHODS, dropDialog } from '../sip-core.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import { DTMF_RELAY_TYPE, digitInInfo, dtmfRelayBody } from './dtmf-relay.ts';
import type { LegMedia } from './leg-media.ts';

/** What an established dialog tells its leg. */
export interface SessionEvents {
  /** The ACK for our 2xx, with the answer when ours was the offer; its promise holds re-INVITEs back. */
  acknowledged(sdp: string): Promise<void>;
  /** The peer has hung up; nothing is left to say. */
  ended(termination: Termination): void;
  /** The dialog cannot go on; the leg is to say BYE. */
  lost(termination: Termination): void;
  digit(digit: string): void;
}

export function sdpBody(content: string): Body {
  return { contentDisposition: 'session', contentType: 'application/sdp', content };
}

/** The headers that every offer or answer of ours inside a dialog carries (RFC 3261 section 12.2.1.1). */
export function targetHeaders(contact: string): string[] {
  return [`Contact: ${contact}`, `Allow: ${ALLOWED_METHODS.join(', ')}`];
}

interface LegSessionDeps {
  readonly role: 'caller' | 'callee';
  readonly media: LegMedia;
  readonly clock: Clock;
  readonly contact: () => string;
  readonly events: SessionEvents;
}

/** A confirmed dialog with media, the same for both directions: hold, refresh, keys, goodbye. */
export class LegSession {
  readonly #session: Session;
  readonly #media: LegMedia;
  readonly #clock: Clock;
  readonly #contact: () => string;
  readonly #events: SessionEvents;
  #awaitsFirstAck: boolean;
  #over = false;
  readonly #stopped = Promise.withResolvers<void>();
  /** Set while hanging up has to wait for the ACK (RFC 3261 section 15). */
  #byeWhenPossible: (() => void) | null = null;
  #cancelAckTimeout: CancelTimer = () => {};
  #cancelRefresh: CancelTimer = () => {};

  constructor(session: Session, { role, media, clock, contact, events }: LegSessionDeps) {
    this.#session = session;
    this.#awaitsFirstAck = role === 'callee';
    this.#media = media;
    this.#clock = clock;
    this.#contact = contact;
    this.#events = events;
    session.delegate = this.#delegate();
  }

  /** Says BYE, after the ACK if that is still to come; resolves when the peer has answered or is given up on. */
  bye(): Promise<void> {
    this.#stop();
    return new Promise((resolve) => {
      const say = (): void => this.#sayBye(resolve);
      if (this.#awaitsFirstAck) this.#byeWhenPossible = say;
      else say();
    });
  }

  /**
   * One digit after another by INFO; rejects when the peer will not have it. A peer that hangs up on the last one need
   * not answer it any more.
   */
  async sendInfoDigits(digits: string): Promise<void> {
    for (const digit of digits) {
      if (this.#over) throw new GatewayError('call_not_active', 'The call is over');
      await Promise.race([this.#sendInfoDigit(digit), this.#stopped.promise]);
    }
  }

  /** Refreshes the session at half of its life when the peer has left that to us (RFC 4028 section 7.2). */
  keepRefreshed(sessionExpires: string | undefined): void {
    const match = /^(\d+)\s*;.*refresher\s*=\s*uac/i.exec(sessionExpires ?? '');
    if (match === null || this.#over) return;
    const halfMs = Math.max(30, Number(match[1]) / 2) * 1000;
    this.#cancelRefresh = this.#clock.after(halfMs, () => this.#refresh(sessionExpires!));
  }

  #delegate(): SessionDelegate {
    return {
      onAck: (request) => this.#acknowledged(request),
      onAckTimeout: () => this.#ackMissing(),
      onBye: (request) => {
        request.accept();
        this.#hungUp({ result: 'completed', reason: 'remote hung up' });
      },
      onInfo: (request) => this.#informed(request),
      onInvite: (request) => void this.#reInvited(request),
      onPrack: (request) => void request.accept(),
    };
  }

  #acknowledged({ message }: IncomingAckRequest): Promise<void> | void {
    this.#cancelAckTimeout();
    if (this.#byeWhenPossible !== null) return this.#byeWhenPossible();
    if (this.#awaitsFirstAck) {
      this.#awaitsFirstAck = false;
      return this.#events.acknowledged(message.body);
    }
    return message.body === '' ? undefined : this.#answeredInAck(message.body);
  }

  async #answeredInAck(sdp: string): Promise<void> {
    const isUsable = await this.#media.acceptAnswer(sdp).catch(() => false);
    if (!isUsable) this.#lose('the answer in ACK cannot be used');
  }

  /** The 2xx was repeated for 64*T1 and nobody acknowledged it (RFC 3261 section 13.3.1.4). */
  #ackMissing(): void {
    if (this.#byeWhenPossible !== null) return this.#byeWhenPossible();
    this.#awaitsFirstAck = false;
    this.#lose('the caller did not acknowledge the answer within 32 s');
  }

  async #reInvited(request: IncomingInviteRequest): Promise<void> {
    try {
      const { body } = request.message;
      const content = body === '' ? this.#media.offer() : this.#answerTo(body);
      await this.#media.inEffect();
      if (this.#over) return void request.reject({ statusCode: 487 });
      if (content === null) return void request.reject({ statusCode: 488 });
      request.accept({
        statusCode: 200,
        body: sdpBody(content),
        extraHeaders: targetHeaders(this.#contact()),
      });
      this.#cancelAckTimeout = this.#clock.after(TRANSACTION_TIMEOUT_MS, () =>
        this.#lose('the far end did not acknowledge a change of the call'),
      );
    } catch {
      this.#lose('re-INVITE could not be answered');
    }
  }

  #answerTo(sdp: string): string | null {
    const offer = parsePeerDescription(sdp);
    return offer && this.#media.answer(offer);
  }

  #informed(request: IncomingInfoRequest): void {
    const digit = digitInInfo(request.message.getHeader('content-type') ?? '', request.message.body);
    if (digit === null && request.message.body !== '') {
      request.reject({ statusCode: 415, extraHeaders: [`Accept: ${DTMF_RELAY_TYPE}`] });
      return;
    }
    request.accept();
    if (digit !== null) this.#events.digit(digit);
  }

  #sendInfoDigit(digit: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void =>
        reject(new GatewayError('platform_failed', 'The far end does not take DTMF'));
      const body = {
        contentDisposition: 'render',
        contentType: DTMF_RELAY_TYPE,
        content: dtmfRelayBody(digit),
      };
      this.#session.info({ onAccept: () => resolve(), onReject: refuse, onRedirect: refuse }, { body });
    });
  }

  #refresh(sessionExpires: string): void {
    if (this.#over) return;
    const again = (): void => this.keepRefreshed(sessionExpires);
    try {
      this.#session.invite(
        {
          onAccept: ({ message, ack }) => {
            ack();
            void this.#media.acceptAnswer(message.body).catch(() => false);
            this.keepRefreshed(message.getHeader('session-expires') ?? sessionExpires);
          },
          onReject: ({ message }) => {
            if (message.statusCode === 408 || message.statusCode === 481)
              this.#lose('session was not refreshed');
            else again();
          },
        },
        { body: sdpBody(this.#media.offer()), extraHeaders: targetHeaders(this.#contact()) },
      );
    } catch {
      // The peer's own re-INVITE is under way, which refreshes as well.
      again();
    }
  }

  #lose(reason: string): void {
    if (this.#over) return;
    this.#events.lost({ result: 'disconnected', reason });
  }

  #hungUp(termination: Termination): void {
    if (this.#over) {
      // BYEs have crossed, or came instead of the ACK that ours was waiting for.
      this.#byeWhenPossible?.();
      return;
    }
    this.#stop();
    this.#events.ended(termination);
  }

  #stop(): void {
    this.#over = true;
    this.#stopped.resolve();
    this.#cancelRefresh();
    this.#cancelAckTimeout();
  }

  #sayBye(done: () => void): void {
    this.#byeWhenPossible = null;
    this.#awaitsFirstAck = false;
    try {
      this.#session.bye({ onAccept: () => done(), onReject: () => done(), onRedirect: () => done() });
    } catch {
      // The peer was faster, or sip.js waits for an ACK that will not come.
      dropDialog(this.#session);
      done();
    }
  }
}
