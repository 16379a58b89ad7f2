import { randomUUID } from 'node:crypto';
import { type CancelTimer, type Clock, isoAfter, settledWithin } from '../../../../base/time.ts';
import type { Registration } from '../../../contract/sip-accounts.ts';
import { REGISTRAR_TIMED_OUT } from '../core/core-message.ts';
import type { IncomingResponseMessage } from '../core/sip-core.ts';
import { retryAfterMs } from '../message/retry-after.ts';
import { headerParameter } from '../message/sip-uri.ts';
import type { SipObserver } from '../sip-observer.ts';
import type { Destination } from '../transport/wire.ts';
import type { Trunk } from './trunk.ts';
import { faultDetail, TrunkFault, trunkFault } from './trunk-fault.ts';

const WANTED_EXPIRES_S = 600;
const MAX_EXPIRES_S = 86_400;
const MIN_BACK_OFF_MS = 30_000;
const MAX_BACK_OFF_MS = 30 * 60_000;
const RECONNECT_MS = 500;
const MIN_RETRY_AFTER_MS = 1_000;
/** How long unregistering waits for the answer to a first REGISTER, so that a dead registrar causes no delay. */
const FIRST_ANSWER_MS = 1_000;

/** Result of one REGISTER. */
type Outcome =
  | { readonly type: 'accepted'; readonly expiresS: number }
  | { readonly type: 'too_brief'; readonly minExpiresS: number }
  | { readonly type: 'unreachable'; readonly fault: TrunkFault }
  /** `retryAfterMs` is what the registrar asks for; null: nothing. */
  | {
      readonly type: 'rejected' | 'unavailable';
      readonly error: string;
      readonly retryAfterMs: number | null;
    };

/** Maintains one trunk's binding at its registrar (RFC 3261 section 10.2). */
export class TrunkRegistration {
  readonly #trunk: Trunk;
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #callId = randomUUID();
  #cseq = 0;
  #state: Registration;
  #expiresS = WANTED_EXPIRES_S;
  #failures = 0;
  #attempt: Promise<void> | null = null;
  /** The Contact bound at the registrar; null when there is none. */
  #bound: string | null = null;
  #stopping: Promise<void> | null = null;
  #cancelTimer: CancelTimer = () => {};

  constructor(trunk: Trunk, clock: Clock, observer: SipObserver) {
    this.#trunk = trunk;
    this.#clock = clock;
    this.#observer = observer;
    this.#state = {
      state: trunk.settings.register ? 'registering' : 'off',
      lastError: null,
      expiresAt: null,
    };
    trunk.onConnectionLost = () => this.#reconnect();
  }

  get state(): Registration {
    return this.#state;
  }

  start(): void {
    if (this.#trunk.settings.register && this.#stopping === null) this.#begin();
  }

  /** Unregisters, waiting at most `deadlineMs` for the registrar's answer. */
  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs);
    return this.#stopping;
  }

  /** Waits for a REGISTER in progress before unregistering, because it may still create a binding. */
  async #stop(deadlineMs: number): Promise<void> {
    this.#cancelTimer();
    this.#state = { state: 'off', lastError: null, expiresAt: null };
    const waitMs = this.#bound === null ? Math.min(deadlineMs, FIRST_ANSWER_MS) : deadlineMs;
    const unbound = (this.#attempt ?? Promise.resolve()).then(() => this.#unbind());
    await settledWithin(this.#clock, waitMs, [unbound]);
  }

  async #unbind(): Promise<void> {
    if (this.#bound !== null) await this.#register(this.#trunk.destinationFor(this.#callId), 0);
  }

  #reconnect(): void {
    if (this.#stopping !== null || !this.#trunk.settings.register || this.#attempt !== null) return;
    this.#schedule(RECONNECT_MS * (1 + Math.random()));
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#begin());
  }

  #begin(): void {
    if (this.#attempt !== null) return;
    this.#attempt = this.#tryOnce().finally(() => {
      this.#attempt = null;
    });
  }

  async #tryOnce(): Promise<void> {
    if (this.#state.state !== 'registered') this.#state = { ...this.#state, state: 'registering' };
    const outcome = await this.#tryAll();
    if (this.#stopping !== null) return;
    if (outcome.type === 'accepted') this.#succeeded(outcome.expiresS);
    else if (outcome.type === 'unreachable') this.#failed(outcome.fault.code, faultDetail(outcome.fault));
    else if (outcome.type === 'too_brief') this.#failed('423 Interval Too Brief');
    else this.#failed(outcome.error, outcome.error, outcome.retryAfterMs);
  }

  async #tryAll(): Promise<Outcome> {
    let outcome: Outcome = { type: 'unreachable', fault: new TrunkFault('unreachable') };
    try {
      const { destinations } = await this.#trunk.locate();
      for (const destination of destinations) {
        const next = await this.#tryOne(destination);
        // What a server has said tells more than the silence of the next one.
        if (next.type !== 'unreachable' || outcome.type === 'unreachable') outcome = next;
        const mayGoOn = next.type === 'unreachable' || next.type === 'unavailable';
        if (!mayGoOn || this.#stopping !== null) return next;
      }
    } catch (error) {
      return { type: 'unreachable', fault: trunkFault(error) };
    }
    return outcome;
  }

  async #tryOne(destination: Destination): Promise<Outcome> {
    try {
      let outcome = await this.#register(destination, this.#expiresS);
      if (outcome.type === 'too_brief' && outcome.minExpiresS > this.#expiresS) {
        this.#expiresS = Math.min(outcome.minExpiresS, MAX_EXPIRES_S);
        outcome = await this.#register(destination, this.#expiresS);
      }
      return outcome.type === 'accepted' ? await this.#movedIfSeenElsewhere(destination, outcome) : outcome;
    } catch (error) {
      return { type: 'unreachable', fault: trunkFault(error) };
    }
  }

  /**
   * Registers again when the answer shows another public address (RFC 3581), so that behind a NAT the binding moves at
   * once.
   */
  async #movedIfSeenElsewhere(destination: Destination, accepted: Outcome): Promise<Outcome> {
    if (this.#stopping !== null || this.#bound === this.#trunk.registeredContact) return accepted;
    const moved = await this.#register(destination, this.#expiresS);
    // An old binding that cannot be removed expires by itself.
    this.#bound = this.#trunk.registeredContact;
    return moved.type === 'accepted' ? moved : accepted;
  }

  async #register(destination: Destination, expiresS: number): Promise<Outcome> {
    await this.#trunk.prepare(destination);
    const { core, settings } = this.#trunk;
    this.#trunk.pin(this.#callId, destination);
    const aor = this.#trunk.addressOf(settings.username);
    const ours = this.#trunk.registeredContact;
    const contact = expiresS === 0 ? (this.#bound ?? ours) : ours;
    const message = core.makeOutgoingRequestMessage(
      'REGISTER',
      this.#trunk.addressOf(''),
      aor,
      aor,
      { callId: this.#callId, cseq: this.#cseq + 1, optionTags: [] },
      [`Contact: ${contact};expires=${expiresS}`, ...this.#formerBinding(contact), `Expires: ${expiresS}`],
    );
    const answer = await new Promise<IncomingResponseMessage>((resolve) => {
      core.register(message, {
        onAccept: (response) => resolve(response.message),
        onRedirect: (response) => resolve(response.message),
        onReject: (response) => resolve(response.message),
      });
    });
    // Answering a challenge has used further CSeq numbers.
    this.#cseq = message.cseq;
    const outcome = this.#outcomeOf(answer, expiresS);
    if (outcome.type === 'accepted') {
      this.#bound = expiresS === 0 ? null : contact;
      this.#trunk.prefer(destination);
    }
    return outcome;
  }

  #formerBinding(contact: string): string[] {
    const isFormer = this.#bound !== null && this.#bound !== contact;
    return isFormer ? [`Contact: ${this.#bound};expires=0`] : [];
  }

  #outcomeOf(answer: IncomingResponseMessage, expiresS: number): Outcome {
    const status = answer.statusCode === REGISTRAR_TIMED_OUT ? 408 : (answer.statusCode ?? 0);
    const error = `${status} ${answer.reasonPhrase ?? ''}`.trim();
    if (status >= 200 && status < 300)
      return { type: 'accepted', expiresS: this.#grantedS(answer, expiresS) };
    if (status === 423)
      return { type: 'too_brief', minExpiresS: Number(answer.getHeader('min-expires') ?? 0) };
    if (!isFromServer(answer)) return { type: 'unreachable', fault: trunkFault(new Error(error)) };
    // The next server may do better (RFC 3263 section 4.3).
    const type = status === 408 || status === 503 ? 'unavailable' : 'rejected';
    return { type, error, retryAfterMs: retryAfterMs(answer.getHeader('retry-after')) };
  }

  /**
   * Returns the granted lifetime. The registrar lists all bindings of the address. Ours has our Contact, or what a server on
   * the way has made of it: then it is among the others, and the first of them to expire may be ours.
   */
  #grantedS(answer: IncomingResponseMessage, askedS: number): number {
    const listed = answer.getHeaders('contact');
    const own =
      listed.find((contact) => contact.includes(this.#trunk.registeredContact)) ??
      listed.find((contact) => contact.includes(this.#trunk.settings.inboundToken));
    const general = secondsIn(answer.getHeader('expires')) ?? askedS;
    const granted = (own === undefined ? listed : [own]).map(
      (contact) => secondsIn(headerParameter(contact, 'expires')) ?? general,
    );
    return Math.min(...granted, ...(granted.length === 0 ? [general] : []), MAX_EXPIRES_S);
  }

  #succeeded(expiresS: number): void {
    if (this.#state.state !== 'registered') this.#log('info', 'SIP trunk registered', null);
    this.#failures = 0;
    const expiresAt = isoAfter(this.#clock.nowIso(), expiresS * 1000);
    this.#state = { state: 'registered', lastError: null, expiresAt };
    this.#schedule(expiresS * 1000 * (0.5 + 0.3 * Math.random()));
  }

  /** `error` is shown to the account, `detail` is logged. */
  #failed(error: string, detail = error, askedMs: number | null = null): void {
    const wasRegistered = this.#state.state === 'registered';
    const text = wasRegistered ? 'SIP trunk lost its registration' : 'SIP trunk registration failed';
    this.#log('warn', text, detail);
    this.#state = { state: 'failed', lastError: error, expiresAt: null };
    const delayMs = Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** this.#failures);
    this.#failures += 1;
    const spreadMs = Math.max(MIN_BACK_OFF_MS, delayMs * (0.75 + 0.25 * Math.random()));
    this.#schedule(
      askedMs === null ? spreadMs : Math.min(Math.max(askedMs, MIN_RETRY_AFTER_MS), MAX_BACK_OFF_MS),
    );
  }

  #log(level: 'info' | 'warn', text: string, error: string | null): void {
    const { accountId, host } = this.#trunk.settings;
    this.#observer.log(level, text, { accountId, host, ...(error === null ? {} : { error }) });
  }
}

/** sip.js generates an answer without headers when there is none, or the request cannot be sent. */
function isFromServer(answer: IncomingResponseMessage): boolean {
  return answer.hasHeader('via');
}

/** Reads a positive number of seconds; null when there is none. */
function secondsIn(text: string | null | undefined): number | null {
  const seconds = Number.parseInt(text ?? '', 10);
  return seconds > 0 ? seconds : null;
}
