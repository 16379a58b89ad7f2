import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { ConnectionApi } from '../../kit/connection-api.ts';
import type { TeamsMeeting } from './meeting-target.ts';

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

export type OnlineMeeting = z.output<typeof OnlineMeeting>;

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
