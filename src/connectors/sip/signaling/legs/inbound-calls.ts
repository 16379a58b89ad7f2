import type { IncomingInviteRequest } from 'sip.js/lib/core/index.js';
import type { Clock } from '../../../../base/time.ts';
import type { InboundAnswerer, InboundCall, LegObserver, PlatformLeg } from '../../../contract/connector.ts';
import type { MediaControl } from '../../../contract/media-control.ts';
import type { SipNumber } from '../../../contract/sip-accounts.ts';
import { codecInCommon } from '../sdp/sdp-answer.ts';
import { clockRateHz, offeredRateHz } from '../sdp/sdp-formats.ts';
import { type PeerDescription, parsePeerDescription } from '../sdp/sdp-peer.ts';
import type { NumberRegistry } from '../trunk/number-registry.ts';
import type { Trunk } from '../trunk/trunk.ts';
import type { Dialled } from './dialled.ts';
import { InboundLeg } from './inbound-leg.ts';
import { LegMedia, type LegMediaSettings } from './leg-media.ts';
import type { LegRegistry } from './leg-registry.ts';
import { toE164 } from './phone-number.ts';
import { SipLeg } from './sip-leg.ts';

/**
 * Decides on each INVITE that opens a call: 404 for unknown numbers, 488 for incompatible media, 486 when there is no
 * capacity. Otherwise the call rings.
 */
export class InboundCalls {
  readonly #numbers: NumberRegistry;
  readonly #legs: LegRegistry;
  readonly #clock: Clock;
  readonly #media: LegMediaSettings;
  #answerer: InboundAnswerer | null = null;

  constructor(numbers: NumberRegistry, legs: LegRegistry, clock: Clock, media: LegMediaSettings) {
    this.#numbers = numbers;
    this.#legs = legs;
    this.#clock = clock;
    this.#media = media;
  }

  set answerer(answerer: InboundAnswerer) {
    this.#answerer = answerer;
  }

  receive(trunk: Trunk, request: IncomingInviteRequest, dialled: Dialled): void {
    const number = this.#numberOf(trunk, dialled);
    if (number === null) return reject(request, 404);
    const { body } = request.message;
    const offer = body === '' ? null : parsePeerDescription(body);
    const sampleRateHz = body === '' ? offeredRateHz(this.#media.codecs) : this.#rateFor(offer, trunk);
    if (sampleRateHz === null) return reject(request, 488);
    const ringing = new RingingCall({
      trunk,
      request,
      offer,
      number,
      dialled,
      sampleRateHz,
      clock: this.#clock,
      media: this.#media,
      legs: this.#legs,
    });
    let rings = false;
    try {
      rings = this.#answerer?.ring(ringing) === true;
    } finally {
      if (!rings) ringing.turnAway();
    }
  }

  /** Sample rate of the codec that the offer will lead to; null when there is none. */
  #rateFor(offer: PeerDescription | null, { settings }: Trunk): number | null {
    const codec = offer && codecInCommon(offer, settings.srtp, this.#media.codecs);
    return codec === null ? null : clockRateHz(codec);
  }

  /**
   * Finds the called number. PBXs (Asterisk, FritzBox) call a registered Contact by its name without a number, which
   * means the account's only number.
   */
  #numberOf(
    { settings: { accountId, inboundToken, username } }: Trunk,
    { numbers }: Dialled,
  ): SipNumber | null {
    const called = numbers
      .map((user) => (user.startsWith(`${inboundToken}.`) ? user.slice(inboundToken.length + 1) : user))
      .filter((user) => user !== inboundToken && user !== username);
    return called.length === 0 ? this.#numbers.onlyOf(accountId) : this.#numbers.find(called, accountId);
  }
}

function reject(request: IncomingInviteRequest, statusCode: number): void {
  request.reject({ statusCode });
}

interface RingingCallDeps {
  readonly trunk: Trunk;
  readonly request: IncomingInviteRequest;
  readonly offer: PeerDescription | null;
  readonly number: SipNumber;
  readonly dialled: Dialled;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  readonly media: LegMediaSettings;
  readonly legs: LegRegistry;
}

/** An inbound call between its INVITE and the moment its actor takes it. */
class RingingCall implements InboundCall {
  readonly #deps: RingingCallDeps;
  #leg: InboundLeg | null = null;
  #isCancelled = false;

  constructor(deps: RingingCallDeps) {
    this.#deps = deps;
    deps.request.delegate = { onCancel: () => this.#cancelled() };
  }

  get sampleRateHz(): number {
    return this.#deps.sampleRateHz;
  }

  get accountId(): string {
    return this.#deps.number.accountId;
  }

  get agentId(): string {
    return this.#deps.number.agentId;
  }

  get caller(): string {
    return toE164(this.#deps.dialled.caller) ?? this.#deps.dialled.caller;
  }

  get target(): string {
    return this.#deps.trunk.addressOf(this.#deps.number.number).toString();
  }

  get autoAnswer(): boolean {
    return this.#deps.number.autoAnswer;
  }

  take(control: MediaControl, observer: LegObserver): PlatformLeg {
    const { trunk, request, offer, dialled, sampleRateHz, clock, media: settings, legs } = this.#deps;
    const media = new LegMedia(control, settings, sampleRateHz, trunk);
    media.signalledBy(dialled.signalingHost);
    const sipLeg = new SipLeg(trunk, media, clock, observer);
    const leg = new InboundLeg(sipLeg, request, offer, dialled.wantsReliableProvisional);
    this.#leg = leg;
    legs.add(trunk, leg);
    if (this.#isCancelled) queueMicrotask(() => leg.cancelled());
    return leg;
  }

  /** Rejects the call for lack of capacity. */
  turnAway(): void {
    if (this.#leg !== null) this.#leg.hangUp();
    else if (!this.#isCancelled) reject(this.#deps.request, 486);
  }

  #cancelled(): void {
    this.#isCancelled = true;
    if (this.#leg !== null) this.#leg.cancelled();
  }
}
