import { randomUUID } from 'node:crypto';
import type { IncomingResponseMessage } from 'sip.js/lib/core/index.js';
import { URI } from 'sip.js/lib/core/index.js';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { Registration } from '../../contract/sip-accounts.ts';
import type { SipObserver } from './sip-observer.ts';
import { headerParameter } from './sip-uri.ts';
import type { Trunk } from './trunk.ts';
import type { Destination } from './wire.ts';

const WANTED_EXPIRES_S = 600;
const MAX_EXPIRES_S = 86_400;
const MIN_BACK_OFF_MS = 30_000;
const MAX_BACK_OFF_MS = 30 * 60_000;
const RECONNECT_MS = 500;

/** What came of one REGISTER. */
type Outcome =
  | { readonly type: 'accepted'; readonly expiresS: number }
  | { readonly type: 'too_brief'; readonly minExpiresS: number }
  | { readonly type: 'unreachable'; readonly error: string }
  | { readonly type: 'rejected'; readonly error: string };

/** Keeps one trunk's binding at its registrar alive (RFC 3261 section 10.2). */
export class TrunkRegistration {
  readonly #trunk: Trunk;
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #callId = randomUUID();
  #cseq = 0;
  #state: Registration;
  #expiresS = WANTED_EXPIRES_S;
  #failures = 0;
  #attempting = false;
  #stopped = false;
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
    if (this.#trunk.settings.register) void this.#attempt();
  }

  /** Takes the binding back, waiting `deadlineMs` at most for the registrar's word. */
  async stop(deadlineMs: number): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelTimer();
    const wasRegistered = this.#state.state === 'registered';
    this.#state = { state: 'off', lastError: null, expiresAt: null };
    if (!wasRegistered) return;
    const told = this.#register(this.#trunk.destinationFor(this.#callId), 0).catch(() => {});
    await Promise.race([told, new Promise<void>((resolve) => this.#clock.after(deadlineMs, resolve))]);
  }

  #reconnect(): void {
    if (this.#stopped || !this.#trunk.settings.register || this.#attempting) return;
    this.#schedule(RECONNECT_MS * (1 + Math.random()));
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer();
    if (!this.#stopped) this.#cancelTimer = this.#clock.after(delayMs, () => void this.#attempt());
  }

  async #attempt(): Promise<void> {
    if (this.#attempting || this.#stopped) return;
    this.#attempting = true;
    if (this.#state.state !== 'registered') this.#state = { ...this.#state, state: 'registering' };
    const outcome = await this.#tryAll();
    this.#attempting = false;
    if (this.#stopped) return;
    if (outcome.type === 'accepted') this.#succeeded(outcome.expiresS);
    else this.#failed(outcome.type === 'too_brief' ? '423 Interval Too Brief' : outcome.error);
  }

  async #tryAll(): Promise<Outcome> {
    let outcome: Outcome = { type: 'unreachable', error: 'no server found' };
    try {
      const { destinations } = await this.#trunk.locate();
      for (const destination of destinations) {
        outcome = await this.#tryOne(destination);
        if (outcome.type !== 'unreachable') return outcome;
      }
    } catch (error) {
      return { type: 'unreachable', error: messageOf(error) };
    }
    return outcome;
  }

  async #tryOne(destination: Destination): Promise<Outcome> {
    try {
      const outcome = await this.#register(destination, this.#expiresS);
      if (outcome.type !== 'too_brief' || outcome.minExpiresS <= this.#expiresS) return outcome;
      this.#expiresS = Math.min(outcome.minExpiresS, MAX_EXPIRES_S);
      return await this.#register(destination, this.#expiresS);
    } catch (error) {
      return { type: 'unreachable', error: messageOf(error) };
    }
  }

  async #register(destination: Destination, expiresS: number): Promise<Outcome> {
    await this.#trunk.prepare(destination);
    const { core, settings } = this.#trunk;
    this.#trunk.pin(this.#callId, destination);
    const aor = new URI('sip', settings.username, settings.host);
    const message = core.makeOutgoingRequestMessage(
      'REGISTER',
      new URI('sip', '', settings.host),
      aor,
      aor,
      { callId: this.#callId, cseq: this.#cseq + 1, optionTags: [] },
      [`Contact: ${core.configuration.contact.toString()};expires=${expiresS}`, `Expires: ${expiresS}`],
    );
    const answer = await new Promise<IncomingResponseMessage>((resolve) => {
      core.register(message, {
        onAccept: (response) => resolve(response.message),
        onRedirect: (response) => resolve(response.message),
        onReject: (response) => resolve(response.message),
      });
    });
    // An answered challenge has used up numbers of its own.
    this.#cseq = message.cseq;
    const outcome = this.#outcomeOf(answer, expiresS);
    if (outcome.type === 'accepted') this.#trunk.prefer(destination);
    return outcome;
  }

  #outcomeOf(answer: IncomingResponseMessage, expiresS: number): Outcome {
    const status = answer.statusCode ?? 0;
    const error = `${status} ${answer.reasonPhrase ?? ''}`.trim();
    if (status >= 200 && status < 300)
      return { type: 'accepted', expiresS: this.#grantedS(answer, expiresS) };
    if (status === 423)
      return { type: 'too_brief', minExpiresS: Number(answer.getHeader('min-expires') ?? 0) };
    return { type: status === 408 || status === 503 ? 'unreachable' : 'rejected', error };
  }

  /** The registrar lists all bindings of the address; ours is the one with our Contact. */
  #grantedS(answer: IncomingResponseMessage, askedS: number): number {
    const own = answer.getHeaders('contact').find((contact) => contact.includes(this.#trunk.contactUser));
    const text = (own === undefined ? null : headerParameter(own, 'expires')) ?? answer.getHeader('expires');
    const grantedS = Number(text ?? askedS);
    return Number.isFinite(grantedS) && grantedS > 0 ? Math.min(grantedS, MAX_EXPIRES_S) : askedS;
  }

  #succeeded(expiresS: number): void {
    if (this.#state.state !== 'registered') this.#log('info', 'SIP trunk registered', null);
    this.#failures = 0;
    const expiresAt = new Date(Date.parse(this.#clock.nowIso()) + expiresS * 1000).toISOString();
    this.#state = { state: 'registered', lastError: null, expiresAt };
    this.#schedule(expiresS * 1000 * (0.5 + 0.3 * Math.random()));
  }

  #failed(error: string): void {
    this.#log('warn', 'SIP trunk did not register', error);
    this.#state = { state: 'failed', lastError: error, expiresAt: null };
    const delayMs = Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#schedule(Math.max(MIN_BACK_OFF_MS, delayMs * (0.75 + 0.25 * Math.random())));
  }

  #log(level: 'info' | 'warn', text: string, error: string | null): void {
    const { accountId, host } = this.#trunk.settings;
    this.#observer.log(level, text, { accountId, host, ...(error === null ? {} : { error }) });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
