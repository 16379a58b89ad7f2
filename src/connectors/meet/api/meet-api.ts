import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { Participant } from '../../contract/call-leg.ts';
import { ApiRefusal, ConnectionApi } from '../../kit/connection-api.ts';

const PAGE_SIZE = 250;
/** A conference may have more; nobody reads a longer list. */
const MAX_PAGES = 4;

const PhoneAccess = z.object({
  phoneNumber: z.string(),
  pin: z.string().regex(/^\d{1,20}$/),
  regionCode: field(z.string()),
});

const SipAccess = z.object({ uri: z.string() });

/** https://developers.google.com/workspace/meet/api/reference/rest/v2/spaces#Space */
const Space = z.object({
  name: z.string().min(1),
  meetingUri: field(z.string()),
  phoneAccess: readable(PhoneAccess),
  gatewaySipAccess: readable(SipAccess),
  activeConference: field(z.object({ conferenceRecord: z.string() })),
});

export type MeetSpace = z.output<typeof Space>;

const Named = field(z.object({ displayName: field(z.string()) }));

/** https://developers.google.com/workspace/meet/api/reference/rest/v2/conferenceRecords.participants#Participant */
const MeetParticipant = z.object({
  name: z.string(),
  signedinUser: Named,
  anonymousUser: Named,
  phoneUser: Named,
});

/** Somebody in a conference. */
export interface MeetPerson extends Participant {
  readonly isPhone: boolean;
}

const Participants = z.object({
  participants: readable(MeetParticipant),
  nextPageToken: field(z.string()),
});

/** Google Meet's REST API (https://developers.google.com/workspace/meet/api/reference/rest/v2). */
export class MeetApi extends ConnectionApi {
  /** `baseUrl`: without the version. */
  constructor(baseUrl: string, clock: Clock) {
    super({ title: 'Google Meet', baseUrl: `${baseUrl}/v2`, clock });
  }

  /** Finds a meeting by its code. Rejects with GatewayError `platform_failed`, whose text tells what to do. */
  async space(connectionId: string, code: string, signal: AbortSignal): Promise<MeetSpace> {
    try {
      const path = `/spaces/${encodeURIComponent(code)}`;
      return await this.ask(connectionId, Space, { method: 'GET', path }, signal);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || ![403, 404].includes(error.answered)) throw error;
      const text = `no such meeting, or this Google account may not see it (${error.message})`;
      throw new GatewayError('platform_failed', text);
    }
  }

  /** Creates a meeting of the connection's account, which stays. */
  async createSpace(connectionId: string, signal: AbortSignal): Promise<MeetSpace> {
    return await this.ask(connectionId, Space, { method: 'POST', path: '/spaces', body: {} }, signal);
  }

  /** Who takes part now. `conference`: its resource name, `conferenceRecords/…`. */
  async participants(connectionId: string, conference: string, signal: AbortSignal): Promise<MeetPerson[]> {
    const list: MeetPerson[] = [];
    let pageToken = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = {
        pageSize: `${PAGE_SIZE}`,
        filter: 'latest_end_time IS NULL',
        ...(pageToken && { pageToken }),
      };
      const path = `/${conference}/participants`;
      const answer = await this.ask(connectionId, Participants, { method: 'GET', path, query }, signal);
      for (const each of answer.participants)
        list.push({ id: each.name, name: nameOf(each), isPhone: each.phoneUser !== undefined });
      pageToken = answer.nextPageToken ?? '';
      if (pageToken === '') break;
    }
    return list;
  }
}

/** A list whose unreadable elements are left out; without the field, an empty one. */
function readable<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((list) =>
      list.flatMap((each): z.output<Schema>[] => {
        const { data, success } = schema.safeParse(each);
        return success ? [data] : [];
      }),
    );
}

function nameOf({ signedinUser, anonymousUser, phoneUser }: z.output<typeof MeetParticipant>): string {
  return (signedinUser ?? anonymousUser ?? phoneUser)?.displayName || 'somebody';
}
