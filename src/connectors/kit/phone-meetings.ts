import { GatewayError } from '../../base/errors.ts';
import { noLoginText, type Platform } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import type { MediaControl } from '../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from '../contract/call-leg.ts';
import type { CallOffer, CallWay, DialRequest, PlacesCalls } from '../contract/connector.ts';
import type { DialsSip, SipTarget } from '../contract/sip-dialing.ts';
import { DialInLeg } from './dial-in-leg.ts';
import { pastedLink } from './pasted-link.ts';

/** Number or address of a meeting, and the keys that let a caller in. */
export type MeetingEntry = Pick<SipTarget, 'target' | 'dtmf'>;

/** What `meeting_url` names: something to dial as it is, or a meeting whose number has to be looked up. */
export type MeetingTarget<Meeting> =
  | {
      readonly kind: 'dial';
      readonly target: string;
      /** Dialled instead by accounts that can. */
      readonly rather?: string;
    }
  | { readonly kind: 'meeting'; readonly meeting: Meeting };

/** A platform whose meetings have phone numbers, which its API tells to connected accounts. */
export interface MeetingDirectory<Meeting, Found> {
  readonly platform: Platform;
  /** As in `PlacesCalls`. */
  readonly ways: readonly CallWay[];
  /** Sample rate of calls, in Hz. */
  readonly sampleRateHz: number;
  /** Why a meeting cannot be joined without a connected account; says what else would do. Absent: `read` sees to it. */
  readonly needsAccount?: string;
  /** Why none can be joined without a trunk. */
  readonly needsTrunk: string;
  /** Stand for the ways in while they are not known. */
  readonly likely: readonly MeetingEntry[];
  /** As in `SipDial`. */
  readonly outcomes?: ReadonlyMap<number, Termination>;
  /** Reads `meeting_url`, which is not empty, and as it was before it was mailed. Throws GatewayError `invalid_meeting_url`. */
  read(request: DialRequest): MeetingTarget<Meeting>;
  /** Looks a meeting up with a connection; null: creates one. Rejects with a GatewayError. */
  find(connectionId: string, meeting: Meeting | null, signal: AbortSignal): Promise<Found>;
  /** Where people join it; '' when the platform does not say. */
  urlOf(found: Found): string;
  /** The ways in, the best one first. Throws GatewayError `platform_failed` when there is none. */
  entriesTo(found: Found): readonly MeetingEntry[];
  /** The call is in the meeting, until `signal` aborts. */
  follow?(joined: JoinedMeeting<Found>, observer: LegObserver, signal: AbortSignal): void;
}

/** A meeting that a call has joined. */
export interface JoinedMeeting<Found> {
  readonly connectionId: string;
  readonly found: Found;
  /** The way that it took. */
  readonly entry: MeetingEntry;
  /** The agent's name in the meeting, where the way shows one. */
  readonly displayName: string;
}

/** Any trunk takes it. */
export const ANY_NUMBER: MeetingEntry = { target: 'tel:+16505550100', dtmf: '' };

/** Takes agents to meetings by phone, over their account's trunk. */
export class PhoneMeetings<Meeting, Found> implements PlacesCalls {
  readonly loginKinds = ['connection', 'trunk'] as const;
  readonly ways: readonly CallWay[];
  readonly takesDtmf = true;
  readonly #directory: MeetingDirectory<Meeting, Found>;
  readonly #sip: DialsSip;

  constructor(directory: MeetingDirectory<Meeting, Found>, sip: DialsSip) {
    this.ways = directory.ways;
    this.#directory = directory;
    this.#sip = sip;
  }

  prepare(request: DialRequest): CallOffer {
    const { platform, sampleRateHz, needsTrunk, likely } = this.#directory;
    const { accountId, login, dtmf } = request;
    const hasWay = likely.some((entry) => this.#takes(accountId, entry));
    if (!hasWay && login.kind !== 'connection' && this.#isLookedUp(request))
      throw new GatewayError('platform_not_configured', noLoginText(platform));
    const target = this.#read(request);
    if (target?.kind === 'dial') this.#sip.check({ accountId, target: target.target, dtmf });
    else if (!hasWay) throw new GatewayError('no_sip_trunk', needsTrunk);
    return { capabilities: ['audio_in', 'audio_out'], sampleRateHz };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const directory = this.#directory;
    const { sampleRateHz, outcomes } = directory;
    const { accountId, login, dtmf, agentName: displayName } = request;
    const call = { accountId, displayName, sampleRateHz, ...(outcomes && { outcomes }) };
    const target = this.#read(request);
    if (target?.kind === 'dial')
      return this.#sip.dial({ ...call, target: target.target, dtmf }, media, observer);
    // What `#read` has not refused has one.
    const connectionId = login.kind === 'connection' ? login.id : '';
    const wayInto = (found: Found) => {
      const entries = directory.entriesTo(found);
      return entries.find((each) => this.#takes(accountId, each)) ?? entries.at(-1)!;
    };
    return new DialInLeg<Found>(
      {
        find: (signal) => directory.find(connectionId, target?.meeting ?? null, signal),
        madeFor: (found) => (target === null ? directory.urlOf(found) : null),
        dial: (found, events) => this.#sip.dial({ ...call, ...wayInto(found) }, media, events),
        follow: (found, signal) => {
          const joined = { connectionId, found, entry: wayInto(found), displayName };
          directory.follow?.(joined, observer, signal);
        },
      },
      observer,
    );
  }

  /** Null: the meeting is to be created. */
  #read(request: DialRequest): MeetingTarget<Meeting> | null {
    const { accountId, dtmf } = request;
    const isConnected = request.login.kind === 'connection';
    const target = pastedLink(request.target);
    if (target === '') {
      if (isConnected) return null;
      throw new GatewayError('meeting_url_required');
    }
    const read = this.#directory.read({ ...request, target });
    if (read.kind === 'meeting' && !isConnected)
      throw new GatewayError('platform_not_connected', this.#directory.needsAccount);
    if (read.kind !== 'dial' || read.rather === undefined) return read;
    return this.#takes(accountId, { target: read.rather, dtmf })
      ? { kind: 'dial', target: read.rather }
      : read;
  }

  /** Whether a connection is needed for what `meeting_url` says: it is neither empty nor to be dialled as it is. */
  #isLookedUp(request: DialRequest): boolean {
    const target = pastedLink(request.target);
    if (target === '') return false;
    try {
      return this.#directory.read({ ...request, target }).kind !== 'dial';
    } catch {
      return true;
    }
  }

  #takes(accountId: string, entry: MeetingEntry): boolean {
    try {
      this.#sip.check({ accountId, ...entry });
      return true;
    } catch {
      return false;
    }
  }
}
