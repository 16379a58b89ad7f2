import { GatewayError } from '../../../../base/errors.ts';
import type { Termination } from '../../../../base/termination.ts';
import type { Clock } from '../../../../base/time.ts';
import type { MediaControl } from '../../../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from '../../../contract/call-leg.ts';
import type { DialsSip, SipDial, SipTarget } from '../../../contract/sip-dialing.ts';
import type { URI } from '../core/sip-core.ts';
import type { DirectRoutes } from '../direct/direct-route.ts';
import { directTarget, isHostIn, plainHost } from '../direct/direct-target.ts';
import type { SipUri } from '../message/sip-uri.ts';
import { offeredRateHz, roomRateHz } from '../sdp/sdp-formats.ts';
import type { SipRoute } from '../sip-route.ts';
import type { Trunk } from '../trunk/trunk.ts';
import type { TrunkRegistry } from '../trunk/trunk-registry.ts';
import { dialledHeaders } from './dial-headers.ts';
import { readDialString } from './dial-string.ts';
import { displayName, readTarget, trunkTarget } from './dial-target.ts';
import { LegMedia, type LegMediaSettings } from './leg-media.ts';
import type { LegRegistry } from './leg-registry.ts';
import { OutboundLeg } from './outbound-leg.ts';

export interface OutboundCallsDeps {
  readonly trunks: TrunkRegistry;
  readonly directs: DirectRoutes;
  /** Hosts that are called without a trunk, in lower case. */
  readonly directHosts: readonly string[];
  readonly legs: LegRegistry;
  readonly clock: Clock;
  readonly media: LegMediaSettings;
}

/** Whom to call, and on which way. */
interface Way {
  readonly target: URI;
  /** Header lines of the INVITE that the target asks for. */
  readonly headers: readonly string[];
  /** Whether the far end itself answers, not a provider. */
  readonly isDirect: boolean;
  open(): SipRoute;
}

/** Decides how each target is reached: over the account's trunk, or directly. */
export class OutboundCalls implements DialsSip {
  readonly #deps: OutboundCallsDeps;

  constructor(deps: OutboundCallsDeps) {
    this.#deps = deps;
  }

  check(target: SipTarget): void {
    this.#read(target);
  }

  dial(call: SipDial, media: MediaControl, observer: LegObserver): PlatformLeg {
    const { legs, clock, media: usual } = this.#deps;
    const { way, postDial } = this.#read(call);
    const settings = way.isDirect ? withWideband(usual, call.sampleRateHz) : usual;
    const route = way.open();
    const leg = new OutboundLeg(
      { route, media: new LegMedia(media, settings, call.sampleRateHz, route), clock, observer },
      {
        target: way.target,
        headers: way.headers,
        displayName: displayName(call.displayName),
        postDial,
        outcomes: way.isDirect ? new Map([...UNKNOWN_THERE, ...(call.outcomes ?? [])]) : new Map(),
      },
    );
    legs.add(route, leg);
    return leg;
  }

  /** Returns the way to a target, and what to press at its end. Throws the errors of `check`. */
  #read({ accountId, target: text, dtmf }: SipTarget) {
    const { trunks, directHosts } = this.#deps;
    const trunk = trunks.ofAccount(accountId);
    const { target, postDial } = readDialString(text, dtmf);
    const uri = readTarget(target);
    if (uri !== null && isHostIn(directHosts, uri.host) && plainHost(uri.host) !== hostOf(trunk))
      return { way: this.#directWay(accountId, uri), postDial };
    if (trunk === null) throw this.#noTrunk();
    if (target === '') throw new GatewayError('meeting_url_required');
    return { way: trunkWay(trunk, uri), postDial };
  }

  #directWay(accountId: string, uri: SipUri): Way {
    const target = directTarget(uri);
    return {
      target: target.uri,
      headers: [],
      isDirect: true,
      open: () => this.#deps.directs.open(accountId, target),
    };
  }

  #noTrunk(): GatewayError {
    const hosts = this.#deps.directHosts.join(', ');
    const detail = hosts === '' ? '' : `; without one, only ${hosts} can be called`;
    return new GatewayError('no_sip_trunk', `No SIP trunk configured${detail}`);
  }
}

/**
 * Offers G.722 to a meeting whose room is wider than the codecs of phone calls. Behind a trunk there are telephones, for
 * which the operator has chosen the codecs.
 */
function withWideband(settings: LegMediaSettings, sampleRateHz: number): LegMediaSettings {
  const isNarrow = offeredRateHz(settings.codecs) < Math.min(sampleRateHz, roomRateHz('G722'));
  return isNarrow ? { ...settings, codecs: ['G722', ...settings.codecs] } : settings;
}

const NO_PASSWORD: Termination = {
  result: 'failed',
  reason: 'the far end demands a user name and password, and a call without a trunk has none',
};
/** We have no account at a host that we call directly. */
const UNKNOWN_THERE: readonly (readonly [number, Termination])[] = [
  [401, NO_PASSWORD],
  [407, NO_PASSWORD],
];

function trunkWay(trunk: Trunk, uri: SipUri | null): Way {
  const { settings } = trunk;
  const target = uri === null ? null : trunkTarget(uri, settings);
  if (uri?.hasPassword)
    throw new GatewayError('invalid_meeting_url', 'meeting_url has a password, which cannot be used');
  if (uri !== null && target !== null)
    return {
      target,
      headers: [...trunk.callerHeaders, ...dialledHeaders(uri.headers)],
      isDirect: false,
      open: () => trunk,
    };
  const detail =
    uri?.scheme === 'sips' && settings.transport !== 'tls'
      ? `meeting_url is a sips URI, which only a trunk with transport "tls" can call; this one has "${settings.transport}"`
      : 'meeting_url is neither a SIP URI nor a phone number';
  throw new GatewayError('invalid_meeting_url', detail);
}

function hostOf(trunk: Trunk | null): string | null {
  return trunk === null ? null : plainHost(trunk.settings.host);
}
