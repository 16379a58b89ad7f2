import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type { LegObserver } from '../../contract/call-leg.ts';
import type { CallWay, DialRequest } from '../../contract/connector.ts';
import {
  ANY_NUMBER,
  type JoinedMeeting,
  type MeetingDirectory,
  type MeetingEntry,
  type MeetingTarget,
} from '../../kit/phone-meetings.ts';
import type { MeetApi, MeetSpace } from '../api/meet-api.ts';
import { readMeetingTarget } from './meeting-target.ts';
import { pollParticipants } from './participants-poll.ts';

/** Where a meeting has several numbers: most have one there. */
const PREFERRED_REGION = 'US';

const WAYS: readonly CallWay[] = [
  {
    name: "SIP, at the organizer's gateway",
    needs:
      "the gateway's host in SVC_SIP_DIRECT_HOSTS, and a connected Google account that may see the meeting",
  },
  {
    name: 'phone',
    needs:
      'a SIP trunk, and the number of the invitation with its PIN; or the link, and a connected Google account that may see the meeting. The organizer needs Google Workspace',
  },
];

/** Meetings of Google Meet, by their codes. */
export class MeetDirectory implements MeetingDirectory<string, MeetSpace> {
  readonly platform = 'meet';
  readonly ways = WAYS;
  /** Specification, "Native sample rates". */
  readonly sampleRateHz = 48_000;
  readonly needsAccount =
    'Finding the number of a Meet meeting needs a connected Google account; without one, give its phone number with the PIN: +16505551234,,123456789#';
  readonly needsTrunk = 'Meet is joined by phone, which needs a SIP trunk: PUT /api/sip/trunk';
  readonly likely = [ANY_NUMBER];
  readonly #api: MeetApi;
  readonly #clock: Clock;

  constructor(api: MeetApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  read({ target }: DialRequest): MeetingTarget<string> {
    return readMeetingTarget(target);
  }

  async find(connectionId: string, code: string | null, signal: AbortSignal): Promise<MeetSpace> {
    return code === null
      ? await this.#api.createSpace(connectionId, signal)
      : await this.#api.space(connectionId, code, signal);
  }

  urlOf({ meetingUri }: MeetSpace): string {
    return meetingUri ?? '';
  }

  /** By SIP first, because that is wideband: an organizer who has a gateway pays for it. */
  entriesTo({ gatewaySipAccess, phoneAccess }: MeetSpace): MeetingEntry[] {
    const phone = phoneAccess.find(({ regionCode }) => regionCode === PREFERRED_REGION) ?? phoneAccess[0];
    const entries = gatewaySipAccess.map(({ uri }) => ({ target: uri, dtmf: '' }));
    if (phone !== undefined) entries.push({ target: `tel:${phone.phoneNumber}`, dtmf: `${phone.pin}#` });
    if (entries.length > 0) return entries;
    const text = 'this meeting has no phone number: its organizer needs Google Workspace with dial-in';
    throw new GatewayError('platform_failed', text);
  }

  follow(joined: JoinedMeeting<MeetSpace>, observer: LegObserver, signal: AbortSignal): void {
    const { connectionId, found } = joined;
    const spaceId = found.name.replace(/^spaces\//, '');
    const polled = { api: this.#api, clock: this.#clock, connectionId, spaceId };
    void pollParticipants(polled, (list) => observer.participants(list), signal);
  }
}
