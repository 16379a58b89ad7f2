import { GatewayError } from '../../../src/base/errors.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import type { Clock } from '../../../src/base/time.ts';
import type { LegObserver, PlatformLeg } from '../../../src/connectors/contract/call-leg.ts';
import type { CallOffer, DialRequest, PlacesCalls } from '../../../src/connectors/contract/connector.ts';
import type { HostedLogins } from '../../../src/connectors/kit/hosted-logins.ts';
import { MeetingLeg } from '../../../src/connectors/kit/meeting-leg.ts';
import type { MediaControl } from '../../../src/media/media-control.ts';
import type { Bridges } from '../../../src/media/transport.ts';
import type { LoopbackLogin } from '../messages/loopback-bot.ts';
import { PLATFORM } from '../platform.ts';
import { LOOPBACK_RULES, LoopbackMeeting, SAMPLE_RATE_HZ } from './loopback-meeting.ts';
import { readMeetingUrl } from './meeting-url.ts';

interface CallsDeps {
  readonly bridges: Bridges;
  readonly clock: Clock;
  /** Root of the meetings' URLs. */
  readonly vendorUrl: string;
}

/** Takes agents to meetings, with a bot or a connection. */
export class Calls implements PlacesCalls {
  readonly loginKinds = ['bot_token', 'connection'] as const;
  readonly #logins: HostedLogins<LoopbackLogin>;
  readonly #deps: CallsDeps;

  constructor(logins: HostedLogins<LoopbackLogin>, deps: CallsDeps) {
    this.#logins = logins;
    this.#deps = deps;
  }

  prepare(request: DialRequest): CallOffer {
    this.#loginOf(request);
    if (request.target === '') throw new GatewayError('meeting_url_required');
    readMeetingUrl(request.target, this.#deps.vendorUrl);
    return { capabilities: PLATFORM_TRAITS[PLATFORM].capabilities, sampleRateHz: SAMPLE_RATE_HZ };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const { api } = this.#loginOf(request);
    const { vendorUrl, bridges, clock } = this.#deps;
    const meeting = readMeetingUrl(request.target, vendorUrl);
    const call = { api, bridges, meeting, name: request.agentName };
    return new MeetingLeg(
      { clock, observer, rules: LOOPBACK_RULES },
      (leg) => new LoopbackMeeting(call, media, observer, leg),
    );
  }

  #loginOf({ login }: DialRequest): LoopbackLogin {
    const found = 'id' in login ? this.#logins.get(login.id) : undefined;
    if (found === undefined) throw new GatewayError('platform_not_connected');
    return found;
  }
}
