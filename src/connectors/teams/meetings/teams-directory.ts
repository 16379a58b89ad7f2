import { GatewayError } from '../../../base/errors.ts';
import type { CallWay, DialRequest } from '../../contract/connector.ts';
import { ApiRefusal } from '../../kit/connection-api.ts';
import {
  ANY_NUMBER,
  type MeetingDirectory,
  type MeetingEntry,
  type MeetingTarget,
} from '../../kit/phone-meetings.ts';
import type { GraphMeetings, OnlineMeeting } from './graph-meetings.ts';
import { readMeetingTarget, type TeamsMeeting } from './meeting-target.ts';

const NOT_ORGANIZED =
  'the connected Microsoft account has not organized this meeting; give its phone number with the conference id from the invitation: +12065551234,,123456789#';
const NO_DIAL_IN = 'this meeting has no phone number: its organizer needs Teams Audio Conferencing';

const WAYS: readonly CallWay[] = [
  {
    name: 'phone',
    needs:
      'a SIP trunk, and the number of the invitation with its conference id; or the link, and the connected Microsoft account of the organizer. The organizer needs Teams Audio Conferencing',
  },
];

/** Meetings of Microsoft Teams. Graph tells their numbers to those who have organized them. */
export class TeamsDirectory implements MeetingDirectory<TeamsMeeting, OnlineMeeting> {
  readonly platform = 'teams';
  readonly ways = WAYS;
  /** Specification, "Native sample rates". */
  readonly sampleRateHz = 16_000;
  readonly needsAccount =
    'Finding the number of a Teams meeting needs the connected Microsoft account of its organizer; without it, give the phone number with the conference id: +12065551234,,123456789#';
  readonly needsTrunk = 'Teams meetings are joined by phone, which needs a SIP trunk: PUT /api/sip/trunk';
  readonly likely = [ANY_NUMBER];
  readonly #meetings: GraphMeetings;

  constructor(meetings: GraphMeetings) {
    this.#meetings = meetings;
  }

  read({ target }: DialRequest): MeetingTarget<TeamsMeeting> {
    return readMeetingTarget(target);
  }

  async find(
    connectionId: string,
    meeting: TeamsMeeting | null,
    signal: AbortSignal,
  ): Promise<OnlineMeeting> {
    if (meeting === null) return await this.#meetings.create(connectionId, signal);
    try {
      const found = await this.#meetings.find(connectionId, meeting, signal);
      if (found !== null) return found;
    } catch (error) {
      // Graph finds no meetings of others, or refuses to look.
      if (!(error instanceof ApiRefusal) || ![403, 404].includes(error.answered)) throw error;
      throw new GatewayError('platform_failed', `${NOT_ORGANIZED} (${error.message})`);
    }
    throw new GatewayError('platform_failed', NOT_ORGANIZED);
  }

  urlOf({ joinWebUrl }: OnlineMeeting): string {
    return joinWebUrl ?? '';
  }

  /** A toll number first: trunks to the free ones of another country often fail. */
  entriesTo({ audioConferencing }: OnlineMeeting): MeetingEntry[] {
    if (!audioConferencing) throw new GatewayError('platform_failed', NO_DIAL_IN);
    const { conferenceId, tollNumbers, tollNumber, tollFreeNumbers, tollFreeNumber } = audioConferencing;
    const numbers = [...(tollNumbers ?? []), tollNumber, ...(tollFreeNumbers ?? []), tollFreeNumber];
    const entries = numbers.flatMap((number) =>
      number ? [{ target: `tel:${number}`, dtmf: `${conferenceId}#` }] : [],
    );
    if (entries.length === 0) throw new GatewayError('platform_failed', NO_DIAL_IN);
    return entries;
  }
}
