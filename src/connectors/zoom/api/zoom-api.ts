import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { ApiRefusal, ConnectionApi } from '../../kit/connection-api.ts';

/** A meeting that begins at once, in terms of Zoom's API. */
const INSTANT = 1;
const TOPIC = 'Meeting with an agent';

const DialInNumber = z.object({ number: z.string(), country: field(z.string()), type: field(z.string()) });

/** https://developers.zoom.us/docs/api/meetings/#tag/meetings/get/meetings/{meetingId} */
const Meeting = z.object({
  /** Of the time that takes place now, or is next. */
  uuid: field(z.string()),
  id: z.number().int().transform(String),
  join_url: field(z.string()),
  /** What phones and room systems enter; absent without a passcode. */
  pstn_password: field(z.string().regex(/^\d{0,20}$/)),
  h323_password: field(z.string().regex(/^\d{0,20}$/)),
  settings: field(z.object({ global_dial_in_numbers: field(z.array(DialInNumber)) })),
});

export type ZoomMeeting = z.output<typeof Meeting>;

/** https://developers.zoom.us/docs/api/meetings/#tag/meetings/post/meetings/{meetingId}/sip_dialing */
const SipDialing = z.object({
  sip_dialing: z.string().min(1),
  paid_crc_plan_participant: field(z.boolean()),
});

export type ZoomSipDialing = z.output<typeof SipDialing>;

/** Zoom's error 4711. */
const LACKS_SCOPES = /does not contain scopes/;

/** Zoom's REST API, asked for the meetings of connected users (https://developers.zoom.us/docs/api/meetings/). */
export class ZoomApi extends ConnectionApi {
  /** `baseUrl`: with the version. */
  constructor(baseUrl: string, clock: Clock) {
    super({ title: 'Zoom', baseUrl, clock });
  }

  /** A meeting that the user hosts. Rejects with an ApiRefusal for those of others, and with no other. */
  async meeting(connectionId: string, id: string, signal: AbortSignal): Promise<ZoomMeeting> {
    try {
      return await this.ask(connectionId, Meeting, { method: 'GET', path: `/meetings/${id}` }, signal);
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      const isOfMeeting = error.answered !== 429 && !LACKS_SCOPES.test(error.message);
      throw isOfMeeting ? error : new GatewayError('platform_failed', error.message);
    }
  }

  async createMeeting(connectionId: string, signal: AbortSignal): Promise<ZoomMeeting> {
    const body = { topic: TOPIC, type: INSTANT };
    const request = { method: 'POST', path: '/users/me/meetings', body } as const;
    return await this.ask(connectionId, Meeting, request, signal);
  }

  /** The address of a meeting for room systems, with which the user's licence counts. Rejects with an ApiRefusal. */
  async sipDialing(
    connectionId: string,
    id: string,
    passcode: string,
    signal: AbortSignal,
  ): Promise<ZoomSipDialing> {
    const body = passcode === '' ? {} : { passcode };
    const request = { method: 'POST', path: `/meetings/${id}/sip_dialing`, body } as const;
    return await this.ask(connectionId, SipDialing, request, signal);
  }
}
