import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type { LegObserver, PlatformLeg } from '../../contract/call-leg.ts';
import type { CallOffer, DialRequest, PlacesCalls } from '../../contract/connector.ts';
import type { MediaControl } from '../../contract/media-control.ts';
import type { DialsSip } from '../../contract/sip-dialing.ts';
import { DialInLeg } from '../../kit/dial-in-leg.ts';
import type { MeetApi, MeetSpace } from '../api/meet-api.ts';
import { readMeetingTarget } from './meeting-target.ts';
import { pollParticipants } from './participants-poll.ts';

/** Specification, "Native sample rates". */
const SAMPLE_RATE_HZ = 48_000;
/** Stands for the number of a meeting, which only Meet knows. */
const ANY_NUMBER = 'tel:+16505550100';
/** Where no better number is known: most meetings have one there. */
const DEFAULT_REGION = 'US';

const NEEDS_ACCOUNT =
  'Finding the number of a Meet meeting needs a connected Google account; without one, give its phone number with the PIN: +16505551234,,123456789#';
const NEEDS_TRUNK = 'Meet is joined by phone, which needs a SIP trunk: PUT /api/sip/trunk';
const NO_DIAL_IN = 'this meeting has no phone number: its organizer needs Google Workspace with dial-in';

export interface MeetCallsDeps {
  readonly api: MeetApi;
  readonly sip: DialsSip;
  readonly clock: Clock;
}

/** How a meeting is entered. */
interface Entry {
  readonly target: string;
  readonly dtmf: string;
}

/** Takes agents to meetings by phone: the number and PIN come from Meet, or from the invitation. */
export class MeetCalls implements PlacesCalls {
  readonly loginKinds = ['connection', 'trunk'] as const;
  readonly takesDtmf = true;
  readonly #deps: MeetCallsDeps;

  constructor(deps: MeetCallsDeps) {
    this.#deps = deps;
  }

  prepare({ accountId, login, target, dtmf }: DialRequest): CallOffer {
    const { sip } = this.#deps;
    const isConnected = login.kind === 'connection';
    if (target.trim() === '' && !isConnected) throw new GatewayError('meeting_url_required');
    const meeting = target.trim() === '' ? null : readMeetingTarget(target);
    if (meeting?.kind === 'dial') sip.check({ accountId, target: meeting.target, dtmf });
    else if (!isConnected) throw new GatewayError('platform_not_connected', NEEDS_ACCOUNT);
    else if (!this.#takes({ accountId, target: ANY_NUMBER, dtmf: '' }))
      throw new GatewayError('no_sip_trunk', NEEDS_TRUNK);
    return { capabilities: ['audio_in', 'audio_out'], sampleRateHz: SAMPLE_RATE_HZ };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const { accountId, login, target, dtmf, agentName } = request;
    const { sip } = this.#deps;
    const call = { accountId, displayName: agentName, sampleRateHz: SAMPLE_RATE_HZ };
    const meeting = target.trim() === '' ? null : readMeetingTarget(target);
    if (meeting?.kind === 'dial') return sip.dial({ ...call, target: meeting.target, dtmf }, media, observer);
    if (login.kind !== 'connection') throw new GatewayError('platform_not_connected', NEEDS_ACCOUNT);
    const connectionId = login.id;
    return new DialInLeg<MeetSpace>(
      {
        find: (signal) => this.#find(connectionId, meeting?.code ?? null, signal),
        dial: (space, events) => sip.dial({ ...call, ...this.#entryTo(space, accountId) }, media, events),
        follow: (space, signal) => void this.#tellParticipants(connectionId, space, observer, signal),
      },
      observer,
    );
  }

  async #find(connectionId: string, code: string | null, signal: AbortSignal): Promise<MeetSpace> {
    const { api } = this.#deps;
    return code === null
      ? await api.createSpace(connectionId, signal)
      : await api.space(connectionId, code, signal);
  }

  /** By SIP where the organizer has a gateway that we may call, because that is wideband; else by phone. */
  #entryTo(space: MeetSpace, accountId: string): Entry {
    for (const { uri } of space.gatewaySipAccess) {
      const entry = { target: uri, dtmf: '' };
      if (this.#takes({ ...entry, accountId })) return entry;
    }
    const { phoneAccess } = space;
    const access = phoneAccess.find(({ regionCode }) => regionCode === DEFAULT_REGION) ?? phoneAccess[0];
    if (access === undefined) throw new GatewayError('platform_failed', NO_DIAL_IN);
    return { target: `tel:${access.phoneNumber}`, dtmf: `${access.pin}#` };
  }

  #takes(call: Entry & { readonly accountId: string }): boolean {
    try {
      this.#deps.sip.check(call);
      return true;
    } catch {
      return false;
    }
  }

  async #tellParticipants(
    connectionId: string,
    { name }: MeetSpace,
    observer: LegObserver,
    signal: AbortSignal,
  ): Promise<void> {
    const { api, clock } = this.#deps;
    const spaceId = name.replace(/^spaces\//, '');
    const polled = { api, clock, connectionId, spaceId };
    await pollParticipants(polled, (list) => observer.participants(list), signal);
  }
}
