import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { CallWay } from '../../contract/connector.ts';
import { ApiRefusal, ConnectionApi } from '../../kit/connection-api.ts';
import { ANY_NUMBER, type MeetingDirectory } from '../../kit/phone-meetings.ts';
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
export function teamsDirectory(meetings: GraphMeetings): MeetingDirectory<TeamsMeeting, OnlineMeeting> {
  return {
    platform: 'teams',
    ways: WAYS,
    // Specification, "Native sample rates".
    sampleRateHz: 16_000,
    needsAccount:
      'Finding the number of a Teams meeting needs the connected Microsoft account of its organizer; without it, give the phone number with the conference id: +12065551234,,123456789#',
    needsTrunk: 'Teams meetings are joined by phone, which needs a SIP trunk: PUT /api/sip/trunk',
    likely: [ANY_NUMBER],
    read: ({ target }) => readMeetingTarget(target),
    async find(connectionId, meeting, signal) {
      if (meeting === null) return await meetings.create(connectionId, signal);
      try {
        const found = await meetings.find(connectionId, meeting, signal);
        if (found !== null) return found;
      } catch (error) {
        // Graph finds no meetings of others, or refuses to look.
        if (!(error instanceof ApiRefusal) || ![403, 404].includes(error.answered)) throw error;
        throw new GatewayError('platform_failed', `${NOT_ORGANIZED} (${error.message})`);
      }
      throw new GatewayError('platform_failed', NOT_ORGANIZED);
    },
    urlOf: ({ joinWebUrl }) => joinWebUrl ?? '',
    /** A toll number first: trunks to the free ones of another country often fail. */
    entriesTo({ audioConferencing }) {
      if (!audioConferencing) throw new GatewayError('platform_failed', NO_DIAL_IN);
      const { conferenceId, tollNumbers, tollNumber, tollFreeNumbers, tollFreeNumber } = audioConferencing;
      const numbers = [...(tollNumbers ?? []), tollNumber, ...(tollFreeNumbers ?? []), tollFreeNumber];
      const entries = numbers.flatMap((number) =>
        number ? [{ target: `tel:${number}`, dtmf: `${conferenceId}#` }] : [],
      );
      if (entries.length === 0) throw new GatewayError('platform_failed', NO_DIAL_IN);
      return entries;
    },
  };
}

const CREATED_MS = 3_600_000;
const SUBJECT = 'Meeting with an agent';

/** https://learn.microsoft.com/graph/api/resources/audioconferencing; the singular numbers are from before the lists. */
const AudioConferencing = z.object({
  conferenceId: z.string().regex(/^\d{1,20}$/),
  tollNumber: field(z.string()),
  tollNumbers: field(z.array(z.string())),
  tollFreeNumber: field(z.string()),
  tollFreeNumbers: field(z.array(z.string())),
});

/** https://learn.microsoft.com/graph/api/resources/onlinemeeting */
const OnlineMeeting = z.object({
  id: z.string(),
  joinWebUrl: field(z.string()),
  audioConferencing: field(AudioConferencing.nullable()),
});

type OnlineMeeting = z.output<typeof OnlineMeeting>;

const Found = z.object({ value: z.array(OnlineMeeting) });

/** Meetings of a connected account in Microsoft Graph. */
export class GraphMeetings extends ConnectionApi {
  readonly #clock: Clock;

  /** `graphUrl`: without the version. */
  constructor(graphUrl: string, clock: Clock) {
    super({ title: 'Microsoft Graph', baseUrl: `${graphUrl}/v1.0`, clock });
    this.#clock = clock;
  }

  /** Null: the account has not organized the meeting. Rejects with GatewayError `platform_failed`. */
  async find(
    connectionId: string,
    meeting: TeamsMeeting,
    signal: AbortSignal,
  ): Promise<OnlineMeeting | null> {
    const query = { $filter: filterFor(meeting) };
    const request = { method: 'GET', path: '/me/onlineMeetings', query } as const;
    const { value } = await this.ask(connectionId, Found, request, signal);
    return value[0] ?? null;
  }

  /** Creates a meeting of an hour, from now on. */
  async create(connectionId: string, signal: AbortSignal): Promise<OnlineMeeting> {
    const startMs = Date.parse(this.#clock.nowIso());
    const [startDateTime, endDateTime] = [startMs, startMs + CREATED_MS].map((ms) =>
      new Date(ms).toISOString(),
    );
    const body = { startDateTime, endDateTime, subject: SUBJECT };
    const request = { method: 'POST', path: '/me/onlineMeetings', body } as const;
    return await this.ask(connectionId, OnlineMeeting, request, signal);
  }
}

/** https://learn.microsoft.com/graph/api/onlinemeeting-get; a quote in OData is doubled. */
function filterFor(meeting: TeamsMeeting): string {
  return meeting.by === 'join_url'
    ? `JoinWebUrl eq '${meeting.url.replaceAll("'", "''")}'`
    : `joinMeetingIdSettings/joinMeetingId eq '${meeting.id}'`;
}
