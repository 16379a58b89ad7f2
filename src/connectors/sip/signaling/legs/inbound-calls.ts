import type { Capability } from '../../../../base/platform.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { MediaControl } from '../../../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from '../../../contract/call-leg.ts';
import type { InboundAnswerer, RingAnswer } from '../../../contract/connector.ts';
import type { SipNumber } from '../../../contract/sip-accounts.ts';
import type { IncomingInviteRequest } from '../core/sip-core.ts';
import { type Refusal, refuse } from '../guard/message-guard.ts';
import { RateLimit } from '../guard/rate-limit.ts';
import { codecInCommon } from '../sdp/sdp-answer.ts';
import { offeredRateHz, roomRateHz } from '../sdp/sdp-formats.ts';
import { type PeerDescription, parsePeerDescription } from '../sdp/sdp-peer.ts';
import { type NumberRegistry, toE164 } from '../trunk/number-registry.ts';
import type { Trunk } from '../trunk/trunk.ts';
import { cancellationOf } from './cancellation.ts';
import type { Dialled } from './dialled.ts';
import { InboundLeg } from './inbound-leg.ts';
import { LegMedia } from './leg-media.ts';
import type { OutboundCallsDeps } from './outbound-calls.ts';
import { reject } from './rejection.ts';
import { withoutSecret } from './told-headers.ts';

/** What every phone call offers. */
export const SIP_CAPABILITIES: readonly Capability[] = ['audio_in', 'audio_out'];

/** New calls to one number in a second: more than the busiest has, and far fewer than a flood. */
const INVITES_PER_S = 200;

type InboundCallsDeps = Pick<OutboundCallsDeps, 'legs' | 'clock' | 'media'> & {
  readonly numbers: NumberRegistry;
};

/**
 * Decides on each INVITE that opens a call: 404 for unknown numbers, 488 for incompatible media, 486 when its account takes
 * no more calls, 503 when the gateway has no room. Otherwise the call rings.
 */
export class InboundCalls {
  readonly #deps: InboundCallsDeps;
  /** Calls to each number. */
  readonly #invites: RateLimit;
  #answerer: InboundAnswerer | null = null;

  constructor(deps: InboundCallsDeps) {
    this.#deps = deps;
    this.#invites = new RateLimit(deps.clock, INVITES_PER_S);
  }

  /** Judges an INVITE that would open a call, before anything is kept of it; null: it may. */
  admit(trunk: Trunk, dialled: Dialled): Refusal | null {
    const number = this.#numberOf(trunk, dialled);
    if (number === null) return refuse(404, 'Not Found');
    if (this.#invites.isUsedUp(number.didId)) return refuse(503, 'Service Unavailable', ['Retry-After: 1']);
    this.#invites.use(number.didId);
    return null;
  }

  set answerer(answerer: InboundAnswerer) {
    this.#answerer = answerer;
  }

  receive(trunk: Trunk, request: IncomingInviteRequest, dialled: Dialled): void {
    const number = this.#numberOf(trunk, dialled);
    if (number === null) return reject(request, 404);
    const { body } = request.message;
    const offer = body === '' ? null : parsePeerDescription(body);
    const sampleRateHz = body === '' ? offeredRateHz(this.#deps.media.codecs) : this.#rateFor(offer, trunk);
    if (sampleRateHz === null) return reject(request, 488);
    this.#ring({ trunk, request, dialled, offer, sampleRateHz }, number);
  }

  /** Lets the call ring. It is rejected unless its actor takes it. */
  #ring(invite: Invite, { accountId, agentId, number, autoAnswer, presets }: SipNumber): void {
    const { trunk, request, dialled, sampleRateHz } = invite;
    let leg: InboundLeg | null = null;
    let cancelled: Termination | null = null;
    request.delegate = {
      onCancel: (message) => {
        cancelled = cancellationOf(message.getHeaders('reason'));
        leg?.cancelled(cancelled);
      },
    };
    const take = (control: MediaControl, observer: LegObserver): PlatformLeg => {
      const taken = this.#legFor(invite, control, observer);
      leg = taken;
      const early = cancelled;
      if (early !== null) queueMicrotask(() => taken.cancelled(early));
      return taken;
    };
    const caller = toE164(dialled.caller) ?? dialled.caller;
    const target = trunk.addressOf(number).toString();
    let answer: RingAnswer = 'overloaded';
    try {
      const login = { kind: 'trunk' } as const;
      const offer = { capabilities: SIP_CAPABILITIES, sampleRateHz };
      const call = {
        ...offer,
        accountId,
        agentId,
        login,
        caller,
        headers: withoutSecret(dialled.headers, trunk.settings.inboundToken),
        target,
        autoAnswer,
        presets,
        take,
      };
      answer = this.#answerer?.ring(call) ?? 'overloaded';
    } finally {
      if (answer !== 'ringing') turnAway(request, leg, { answer, isCancelled: cancelled !== null });
    }
  }

  #legFor(invite: Invite, control: MediaControl, observer: LegObserver): InboundLeg {
    const { trunk, request, dialled, offer, sampleRateHz } = invite;
    const media = new LegMedia(control, this.#deps.media, sampleRateHz, trunk);
    media.signalledBy(dialled.signalingHost);
    const deps = { route: trunk, media, clock: this.#deps.clock, observer };
    const leg = new InboundLeg(deps, request, offer, isReliable(dialled, offer));
    this.#deps.legs.add(trunk, leg);
    return leg;
  }

  /** Sample rate of the codec that the offer will lead to; null when there is none. */
  #rateFor(offer: PeerDescription | null, { settings }: Trunk): number | null {
    const codec = offer && codecInCommon(offer, settings.srtp, this.#deps.media.codecs);
    return codec === null ? null : roomRateHz(codec);
  }

  /**
   * Finds the called number. PBXs (Asterisk, FritzBox) call a registered Contact by its name without a number, which
   * means the account's only number, unless that name is itself a listed extension.
   */
  #numberOf(
    { settings: { accountId, inboundToken, username } }: Trunk,
    { numbers }: Dialled,
  ): SipNumber | null {
    const called = numbers
      .map((user) => (user.startsWith(`${inboundToken}.`) ? user.slice(inboundToken.length + 1) : user))
      .filter((user) => user !== inboundToken)
      .filter((user) => user !== username || this.#deps.numbers.lists(username, accountId));
    return called.length === 0
      ? this.#deps.numbers.onlyOf(accountId)
      : this.#deps.numbers.find(called, accountId);
  }
}

function turnAway(
  request: IncomingInviteRequest,
  leg: InboundLeg | null,
  { answer, isCancelled }: { readonly answer: RingAnswer; readonly isCancelled: boolean },
): void {
  if (leg !== null) leg.hangUp();
  else if (!isCancelled) reject(request, answer === 'busy' ? 486 : 503);
}

/**
 * Whether the ringing response must be reliable. To an INVITE without an offer such a response would have to carry ours (RFC
 * 3262 section 5), so then it is only if the caller insists.
 */
function isReliable({ reliability }: Dialled, offer: PeerDescription | null): boolean {
  return reliability === 'required' || (reliability === 'supported' && offer !== null);
}

/** An INVITE that may ring. */
interface Invite {
  readonly trunk: Trunk;
  readonly request: IncomingInviteRequest;
  readonly dialled: Dialled;
  /** Null when the caller leaves the offer to us. */
  readonly offer: PeerDescription | null;
  readonly sampleRateHz: number;
}
