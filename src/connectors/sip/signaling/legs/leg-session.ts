import { GatewayError } from '../../../../base/errors.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type {
  Body,
  IncomingAckRequest,
  IncomingInfoRequest,
  IncomingInviteRequest,
  IncomingResponseMessage,
  Session,
  SessionDelegate,
} from '../core/sip-core.ts';
import { ALLOWED_METHODS, dropDialog } from '../core/sip-core.ts';
import { retryAfterMs } from '../message/retry-after.ts';
import { parsePeerDescription } from '../sdp/sdp-peer.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import { DIGIT_TYPES, DTMF_RELAY_TYPE, digitsInInfo } from './info-digits.ts';
import type { LegMedia } from './leg-media.ts';
import { answeredSession, readSessionExpires, type SessionInterval, SessionTimer } from './session-timer.ts';

export function sdpBody(content: string): Body {
  return { contentDisposition: 'session', contentType: 'application/sdp', content };
}

/** Headers of every offer or answer that we send inside a dialog (RFC 3261 section 12.2.1.1). */
export function targetHeaders(contact: string): string[] {
  return [`Contact: ${contact}`, `Allow: ${ALLOWED_METHODS.join(', ')}`];
}

/** The leg of a dialog. */
interface LegSessionDeps {
  readonly role: 'caller' | 'callee';
  readonly media: LegMedia;
  readonly clock: Clock;
  contact(): string;
  /** The ACK for our 2xx arrived, with the answer when the offer was ours. Re-INVITEs wait for its promise. */
  acknowledged(sdp: string): Promise<void>;
  /** The peer has hung up; nothing needs to be sent. */
  ended(termination: Termination): void;
  /** The dialog cannot continue; the leg must send BYE. */
  lost(termination: Termination): void;
  digit(digit: string): void;
}

/** A confirmed dialog with media, for both call directions: hold, session refresh, DTMF by INFO, and BYE. */
export class LegSession {
  readonly #session: Session;
  readonly #deps: LegSessionDeps;
  #awaitsFirstAck: boolean;
  #over = false;
  readonly #stopped = Promise.withResolvers<void>();
  /** Set while BYE has to wait for the ACK (RFC 3261 section 15). */
  #byeWhenPossible: (() => void) | null = null;
  #cancelAckTimeout: CancelTimer = () => {};
  readonly #timer: SessionTimer;

  constructor(session: Session, deps: LegSessionDeps) {
    this.#session = session;
    this.#deps = deps;
    this.#awaitsFirstAck = deps.role === 'callee';
    this.#timer = new SessionTimer({
      clock: deps.clock,
      refresh: (interval) => this.#refresh(interval),
      expired: () => this.#lose('the session was not refreshed'),
    });
    session.delegate = this.#delegate();
  }

  /** Sends BYE, after the ACK if that is still pending. Resolves when the peer has answered or is given up on. */
  bye(): Promise<void> {
    this.#stop();
    return new Promise((resolve) => {
      const send = (): void => this.#sendBye(resolve);
      if (this.#awaitsFirstAck) this.#byeWhenPossible = send;
      else send();
    });
  }

  /**
   * Sends digits one after another by INFO. Rejects when the peer refuses one. A peer that hangs up on the last digit
   * need not answer it.
   */
  async sendInfoDigits(digits: string): Promise<void> {
    for (const digit of digits) {
      if (this.#over) throw new GatewayError('call_not_active', 'The call is over');
      await Promise.race([this.#sendInfoDigit(digit), this.#stopped.promise]);
    }
  }

  /** Takes the Session-Expires of the INVITE's exchange (RFC 4028). */
  keepAlive(interval: SessionInterval | null, weRefresh: boolean): void {
    if (interval !== null && !this.#over) this.#timer.agreed(interval, weRefresh);
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
      return this.#deps.acknowledged(message.body);
    }
    return message.body === '' ? undefined : this.#answeredInAck(message.body);
  }

  async #answeredInAck(sdp: string): Promise<void> {
    const isUsable = await this.#deps.media.acceptAnswer(sdp).catch(() => false);
    if (!isUsable) this.#lose('the ACK contains no usable SDP answer');
  }

  /** Handles a missing ACK after repeating the 2xx for 64*T1 (RFC 3261 section 13.3.1.4). */
  #ackMissing(): void {
    if (this.#byeWhenPossible !== null) return this.#byeWhenPossible();
    this.#awaitsFirstAck = false;
    this.#lose('the caller did not acknowledge the answer within 32 s');
  }

  async #reInvited(request: IncomingInviteRequest): Promise<void> {
    try {
      const { body } = request.message;
      const { media } = this.#deps;
      const offer = body === '' ? null : parsePeerDescription(body);
      const content = body === '' ? media.offer() : offer && media.answer(offer);
      await media.inEffect();
      if (this.#over) return void request.reject({ statusCode: 487 });
      if (content === null) return void request.reject({ statusCode: 488 });
      const session = answeredSession(request.message);
      request.accept({
        statusCode: 200,
        body: sdpBody(content),
        extraHeaders: [...targetHeaders(this.#deps.contact()), ...session.headers],
      });
      if (session.interval === null) this.#timer.renewed();
      else this.#timer.agreed(session.interval, session.weRefresh);
      this.#cancelAckTimeout = this.#deps.clock.after(TRANSACTION_TIMEOUT_MS, () =>
        this.#lose('the far end did not acknowledge the answer to its re-INVITE'),
      );
    } catch {
      this.#lose('the re-INVITE could not be answered');
    }
  }

  #informed(request: IncomingInfoRequest): void {
    const digits = digitsInInfo(request.message.getHeader('content-type') ?? '', request.message.body);
    if (digits === '' && request.message.body !== '') {
      request.reject({ statusCode: 415, extraHeaders: [`Accept: ${DIGIT_TYPES.join(', ')}`] });
      return;
    }
    request.accept();
    for (const digit of digits) this.#deps.digit(digit);
  }

  #sendInfoDigit(digit: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void =>
        reject(new GatewayError('platform_failed', 'The far end does not support DTMF'));
      const body = {
        contentDisposition: 'render',
        contentType: DTMF_RELAY_TYPE,
        content: dtmfRelayBody(digit),
      };
      this.#session.info({ onAccept: () => resolve(), onReject: refuse, onRedirect: refuse }, { body });
    });
  }

  #refresh({ seconds }: SessionInterval): void {
    if (this.#over) return;
    const headers = [...targetHeaders(this.#deps.contact()), `Session-Expires: ${seconds};refresher=uac`];
    try {
      this.#session.invite(
        {
          onAccept: ({ message, ack }) => {
            ack();
            void this.#deps.media.acceptAnswer(message.body).catch(() => false);
            this.#refreshed(message.getHeader('session-expires'));
          },
          onRedirect: ({ message }) => this.#refreshRefused(message),
          onReject: ({ message }) => this.#refreshRefused(message),
        },
        { body: sdpBody(this.#deps.media.offer()), extraHeaders: headers },
      );
    } catch {
      // The peer's own re-INVITE is in progress and refreshes the session as well.
      this.#timer.refused({
        status: 491,
        retryAfterMs: null,
        minSeconds: null,
        ownsCallId: this.#ownsCallId,
      });
    }
  }

  #refreshed(sessionExpires: string | undefined): void {
    const interval = readSessionExpires(sessionExpires);
    if (this.#over) return;
    if (interval === null) this.#timer.renewed();
    else this.#timer.agreed(interval, interval.refresher !== 'uas');
  }

  #refreshRefused(message: IncomingResponseMessage): void {
    const status = message.statusCode ?? 500;
    if (status === 408 || status === 481) return this.#lose('the session could not be refreshed');
    if (this.#over) return;
    this.#timer.refused({
      status,
      retryAfterMs: retryAfterMs(message.getHeader('retry-after')),
      minSeconds: readSessionExpires(message.getHeader('min-se'))?.seconds ?? null,
      ownsCallId: this.#ownsCallId,
    });
  }

  get #ownsCallId(): boolean {
    return this.#deps.role === 'caller';
  }

  #lose(reason: string): void {
    if (this.#over) return;
    this.#deps.lost({ result: 'disconnected', reason });
  }

  #hungUp(termination: Termination): void {
    if (this.#over) {
      // The BYEs crossed, or the peer's BYE came in place of the ACK that our BYE was waiting for.
      this.#byeWhenPossible?.();
      return;
    }
    this.#stop();
    this.#deps.ended(termination);
  }

  #stop(): void {
    this.#over = true;
    this.#stopped.resolve();
    this.#timer.stop();
    this.#cancelAckTimeout();
  }

  #sendBye(done: () => void): void {
    this.#byeWhenPossible = null;
    this.#awaitsFirstAck = false;
    try {
      this.#session.bye({ onAccept: () => done(), onReject: () => done(), onRedirect: () => done() });
    } catch {
      // The peer was faster, or sip.js is waiting for an ACK that will not come.
      dropDialog(this.#session);
      done();
    }
  }
}

function dtmfRelayBody(digit: string): string {
  return `Signal=${digit}\r\nDuration=160\r\n`;
}
