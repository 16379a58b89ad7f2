import type { PostDialStep } from '../../../../base/post-dial.ts';
import type { Termination, TerminationResult } from '../../../../base/termination.ts';
import type { PlatformLeg } from '../../../contract/call-leg.ts';
import { credentialLines } from '../core/authentication.ts';
import type {
  IncomingResponseMessage,
  OutgoingInviteRequest,
  OutgoingInviteRequestDelegate,
  Session,
  URI,
} from '../core/sip-core.ts';
import { abandonInvite, dropDialog, dropDialogsOf, forgetInvite } from '../core/sip-core.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import type { Destination } from '../transport/wire.ts';
import { TrunkFault } from '../trunk/trunk-fault.ts';
import { sdpBody, targetHeaders } from './leg-session.ts';
import { readSessionExpires } from './session-timer.ts';
import { type LegDeps, messageOf, SipLeg } from './sip-leg.ts';

/** Targets of redirections that one call tries. */
const MAX_REDIRECTS = 5;
const CANCELLED: Termination = { result: 'no_answer', reason: 'cancelled before it was answered' };

type State =
  | { readonly type: 'opening' }
  /** An INVITE is in progress at `destinations[0]`. The others are fallbacks in case it is out of order. */
  | {
      readonly type: 'inviting';
      readonly destinations: readonly Destination[];
      progressed: boolean;
      cancelSent: boolean;
    }
  | { readonly type: 'established'; readonly dialogId: string }
  | { readonly type: 'closed' };

/** Whom the leg calls, and what it tells. */
export interface OutboundCall {
  readonly target: URI;
  /** Header lines that the target asks for. */
  readonly headers: readonly string[];
  /** Display name in From. */
  readonly displayName: string;
  /** Keys to press once the call is answered; empty: none. */
  readonly postDial: readonly PostDialStep[];
  /** What final answers mean, where it is not what they usually do. */
  readonly outcomes: ReadonlyMap<number, Termination>;
}

/** An outbound call (RFC 3261 section 13.2). */
export class OutboundLeg extends SipLeg implements PlatformLeg {
  readonly #call: OutboundCall;
  #target: URI;
  #request: OutgoingInviteRequest | null = null;
  #redirects = 0;
  /** Seconds that a server on the way demands of a session (RFC 4028 section 7.4); null: none has. */
  #leastSessionS: number | null = null;
  /** Where redirections lead besides, in the order in which to try them. */
  #alternatives: readonly URI[] = [];
  #rang = false;
  #state: State = { type: 'opening' };

  constructor(deps: LegDeps, call: OutboundCall) {
    super(deps);
    this.#target = call.target;
    this.#call = call;
    void this.#open().catch((error: unknown) => this.#fail(error));
  }

  /** No-op: only inbound legs can be accepted. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    if (this.#state.type === 'established') {
      return this.bye('local', { result: 'completed', reason: 'hung up' });
    }
    const isInviting = this.#state.type === 'inviting';
    this.end('local', CANCELLED);
    if (!isInviting) return this.release();
    this.#cancel();
    // Before any response there is nothing to cancel, and the INVITE times out by itself.
    this.clock.after(2 * TRANSACTION_TIMEOUT_MS, () => this.#giveUp());
  }

  async #open(): Promise<void> {
    const { route, media } = this;
    const { destinations } = await route.locate();
    const reached = await this.#reach(destinations);
    if (this.hasEnded) return;
    await media.open(this.onMediaEvent);
    if (!this.hasEnded) await this.#invite(reached);
  }

  /** Prepares for the first destination that can be reached. Returns it and those after it. */
  async #reach(destinations: readonly Destination[]): Promise<readonly Destination[]> {
    const [destination, ...others] = destinations;
    try {
      await this.route.prepare(destination!);
      return destinations;
    } catch (error) {
      const left = hasTlsFailed(error) ? others.filter(({ protocol }) => protocol === 'tls') : others;
      if (left.length === 0 || this.hasEnded) throw error;
      return this.#reach(left);
    }
  }

  async #invite(destinations: readonly Destination[]): Promise<void> {
    const { route, media } = this;
    const reached = await this.#reach(destinations);
    if (this.hasEnded) return;
    const { core } = route;
    const destination = reached[0]!;
    media.signalledBy(destination.host);
    const message = core.makeOutgoingRequestMessage(
      'INVITE',
      this.#target,
      route.caller,
      this.#target,
      { fromDisplayName: this.#call.displayName },
      [...targetHeaders(route.contact), ...this.#sessionHeaders(), ...this.#call.headers],
      sdpBody(media.offer()),
    );
    route.pin(message.callId, destination);
    void this.released.then(() => {
      route.unpin(message.callId);
      // By then every BYE has been answered or has timed out.
      this.clock.after(2 * TRANSACTION_TIMEOUT_MS, () => dropDialogsOf(core, message.callId));
    });
    this.#request = core.invite(message, this.#delegate());
    this.#state = { type: 'inviting', destinations: reached, progressed: false, cancelSent: false };
  }

  #sessionHeaders(): string[] {
    const seconds = this.#leastSessionS;
    return seconds === null ? [] : [`Session-Expires: ${seconds}`, `Min-SE: ${seconds}`];
  }

  #delegate(): OutgoingInviteRequestDelegate {
    return {
      onTrying: () => this.#progressed(),
      onProgress: ({ message, prack }) => {
        if (isReliable(message)) {
          prack({ extraHeaders: [`RAck: ${message.getHeader('rseq')} ${message.getHeader('cseq')}`] });
        }
        this.#progressed();
        this.#tell(message);
      },
      onAccept: ({ message, session, ack }) => {
        // The ACK repeats the credentials of the INVITE (section 13.2.2.4).
        ack({ extraHeaders: this.#request === null ? [] : credentialLines(this.#request.message) });
        // A second fork answered, or the answer crossed our CANCEL. Only one call is kept.
        if (this.#state.type !== 'inviting' || this.hasEnded) return this.#dismiss(session);
        this.#established(message, session).catch((error: unknown) =>
          this.bye('lost', { result: 'failed', reason: messageOf(error) }),
        );
      },
      onRedirect: ({ message }) => this.#redirected(message),
      onReject: ({ message }) => this.#rejected(message),
    };
  }

  /** Records a provisional answer. CANCEL may only be sent after one (section 9.1). */
  #progressed(): void {
    if (this.#state.type !== 'inviting') return;
    this.#state.progressed = true;
    if (this.hasEnded) this.#cancel();
  }

  #tell(message: IncomingResponseMessage): void {
    if (this.hasEnded || this.#state.type !== 'inviting') return;
    if (message.statusCode === 180 && !this.#rang) {
      this.#rang = true;
      this.ringing();
    }
    if (message.body !== '') void this.#hear(message);
  }

  /** Lets the agent hear what comes before the answer, if the description with this provisional answer allows any. */
  async #hear({ body, toTag }: IncomingResponseMessage): Promise<void> {
    const isUsable = await this.media.acceptAnswer(body, toTag).catch(() => false);
    if (isUsable && this.media.isHeard && this.#state.type === 'inviting') this.earlyMedia();
  }

  async #established(message: IncomingResponseMessage, session: Session): Promise<void> {
    const { media, route } = this;
    if (this.#state.type === 'inviting') route.prefer(this.#state.destinations[0]!);
    this.#state = { type: 'established', dialogId: session.id };
    const talk = this.establish(session, 'caller', async () => {});
    this.#forgetInviteLater(session);
    const { body, toTag } = message;
    const isUsable = await (body === '' ? media.settleOn(toTag) : media.acceptAnswer(body, toTag));
    if (!isUsable)
      return this.bye('lost', { result: 'failed', reason: 'the answer contains no supported codec' });
    const interval = readSessionExpires(message.getHeader('session-expires'));
    talk.keepAlive(interval, interval?.refresher !== 'uas');
    await this.answered(this.#call.postDial);
  }

  /**
   * Frees the INVITE after a delay. Until then the 2xx may be repeated, or another fork may answer (section 13.2.2.4).
   */
  #forgetInviteLater(session: Session): void {
    const cancel = this.clock.after(TRANSACTION_TIMEOUT_MS, () => {
      this.#request = null;
      forgetInvite(session);
    });
    void this.released.then(cancel);
  }

  #dismiss(session: Session): void {
    if (this.#state.type === 'established' && session.id === this.#state.dialogId) return;
    const wasCancelled = this.#state.type === 'inviting';
    const release = (): void => {
      if (wasCancelled) this.release();
    };
    try {
      session.bye({ onAccept: release, onReject: release });
    } catch {
      dropDialog(session);
    }
  }

  /** Tries the targets of a redirection one after another (section 8.1.3.4). */
  #redirected(message: IncomingResponseMessage): void {
    const targets = this.route.redirected(message.getHeaders('contact'));
    if (!this.#tryNext([...targets, ...this.#alternatives])) this.#rejected(message);
  }

  /** Returns false when there is no other target, or enough have been tried. */
  #tryNext([next, ...others]: readonly URI[]): boolean {
    if (this.#state.type !== 'inviting' || this.hasEnded) return false;
    if (next === undefined || this.#redirects >= MAX_REDIRECTS) return false;
    this.#redirects += 1;
    this.#alternatives = others;
    this.#target = next;
    this.#again(this.#state.destinations);
    return true;
  }

  #rejected(message: IncomingResponseMessage): void {
    if (this.#state.type !== 'inviting') return;
    const status = message.statusCode ?? 500;
    const { destinations, progressed } = this.#state;
    const isOutOfOrder = (status === 408 || status === 503) && !progressed;
    if (isOutOfOrder && destinations.length > 1 && !this.hasEnded) return this.#again(destinations.slice(1));
    if (status === 422 && this.#lengthenSession(message)) return this.#again(destinations);
    // A 6xx speaks for all targets (section 21.6).
    if (status >= 400 && status < 600 && this.#tryNext(this.#alternatives)) return;
    this.#state = { type: 'closed' };
    this.end('remote', this.#call.outcomes.get(status) ?? terminationOf(status, message.reasonPhrase ?? ''));
    this.release();
  }

  /** Returns false when the answer asks for nothing new. */
  #lengthenSession(message: IncomingResponseMessage): boolean {
    const seconds = readSessionExpires(message.getHeader('min-se'))?.seconds ?? 0;
    if (this.hasEnded || seconds <= (this.#leastSessionS ?? 0)) return false;
    this.#leastSessionS = seconds;
    return true;
  }

  #again(destinations: readonly Destination[]): void {
    this.#state = { type: 'opening' };
    void this.#invite(destinations).catch((error: unknown) => this.#fail(error));
  }

  #cancel(): void {
    if (this.#state.type !== 'inviting' || this.#state.cancelSent || !this.#state.progressed) return;
    this.#state.cancelSent = true;
    this.#request?.cancel();
    // A peer that answers neither the CANCEL nor the INVITE is considered gone (section 9.1).
    this.clock.after(TRANSACTION_TIMEOUT_MS, () => this.#giveUp());
  }

  #giveUp(): void {
    if (this.#state.type === 'inviting') {
      if (this.#request !== null) abandonInvite(this.route.core, this.#request);
      this.#state = { type: 'closed' };
    }
    this.release();
  }

  #fail(error: unknown): void {
    this.#state = { type: 'closed' };
    const reason = error instanceof TrunkFault ? this.route.noteFault(error) : messageOf(error);
    this.end('lost', { result: 'failed', reason });
    this.release();
  }
}

/** Who stands between us and a server that offers TLS must not read what it was meant to protect. */
function hasTlsFailed(error: unknown): boolean {
  return error instanceof TrunkFault && error.code === 'tls_failed';
}

function isReliable(message: IncomingResponseMessage): boolean {
  return /\b100rel\b/i.test(message.getHeader('require') ?? '') && message.getHeader('rseq') !== undefined;
}

/** Maps the final status of a rejected or unanswered INVITE to the call's termination (RFC 3261 section 21). */
function terminationOf(status: number, phrase: string): Termination {
  return { result: resultOf(status), reason: `${status} ${phrase}`.trim() };
}

function resultOf(status: number): TerminationResult {
  switch (status) {
    case 486:
    case 600:
      return 'busy';
    case 603:
      return 'refused';
    case 408:
    case 480:
    case 487:
      return 'no_answer';
    default:
      return 'failed';
  }
}
