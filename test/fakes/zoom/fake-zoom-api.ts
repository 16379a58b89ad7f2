import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

export interface FakeZoomMeeting {
  readonly uuid: string;
  readonly id: string;
  readonly host: string;
  /** What phones and room systems enter; '' without a passcode. */
  readonly passcode: string;
  readonly numbers: readonly {
    readonly number: string;
    readonly country: string;
    readonly type: 'toll' | 'tollfree';
  }[];
}

const READ = 'meeting:read:meeting';
const WRITE = 'meeting:write:meeting';
const DIAL = 'meeting:write:sip_dialing';

const Created = z.strictObject({ topic: z.string().max(200), type: z.literal(1) });
const Dialing = z.strictObject({ passcode: z.string().optional() });

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly retryAfter?: string;
}

/** Zoom's REST API v2, of the users whose tokens these are, on loopback. */
export class FakeZoomApi {
  /** With the version. */
  readonly url: string;
  readonly meetings: FakeZoomMeeting[] = [];
  readonly requests: string[] = [];
  /** Answers to the next requests. */
  readonly faults: Answer[] = [];
  /** What new apps may ask for; without the scope of an endpoint it is refused. */
  readonly scopes = new Set<string>([READ, WRITE, DIAL]);
  /** Users with a plan of the Conference Room Connector. */
  readonly crcPlans = new Set<string>();
  /** Numbers of new meetings. */
  numbers: FakeZoomMeeting['numbers'] = [];
  /** Returns the user whose access token this is. */
  userOf: (accessToken: string) => string | null = () => null;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FakeZoomApi> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeZoomApi(server);
  }

  add(host: string, meeting: Partial<FakeZoomMeeting> = {}): FakeZoomMeeting {
    const id = `${81_234_567_890 + this.meetings.length}`;
    const uuid = `${Buffer.from(`meeting ${id}`).toString('base64')}`;
    const added = { uuid, id, host, passcode: '', numbers: this.numbers, ...meeting };
    this.meetings.push(added);
    return added;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const target = `${request.method} ${pathname}${search}`;
    this.requests.push(target);
    const user = this.userOf((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    const answer =
      this.faults.shift() ??
      (user === null ? refused(401, 124, 'Invalid access token.') : this.#route(target, user, body));
    const { status, retryAfter } = answer;
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfter && { 'retry-after': retryAfter }),
      })
      .end(JSON.stringify(answer.body));
  }

  #route(target: string, user: string, body: string): Answer {
    if (target === 'GET /v2/users/me')
      return { status: 200, body: { id: user, display_name: user, type: 1 } };
    const [, read] = /^GET \/v2\/meetings\/(\d+)$/.exec(target) ?? [];
    if (read !== undefined) {
      if (!this.scopes.has(READ)) return lacks(READ);
      const meeting = this.meetings.find(({ id, host }) => id === read && host === user);
      return meeting === undefined
        ? refused(404, 3001, `Meeting does not exist: ${read}.`)
        : { status: 200, body: shown(meeting) };
    }
    if (target === 'GET /v2/users/me')
      return { status: 200, body: { id: user, display_name: user, type: 2, account_id: 'acc', pmi: 1 } };
    if (target === 'POST /v2/users/me/meetings') {
      if (!this.scopes.has(WRITE)) return lacks(WRITE);
      if (!Created.safeParse(JSON.parse(body)).success) return refused(400, 300, 'Validation Failed.');
      return { status: 201, body: shown(this.add(user, { passcode: '123456' })) };
    }
    const [, dialled] = /^POST \/v2\/meetings\/(\d+)\/sip_dialing$/.exec(target) ?? [];
    if (dialled !== undefined) return this.#dial(dialled, user, body);
    return refused(404, 2300, 'This API endpoint is not recognized.');
  }

  #dial(meetingId: string, user: string, body: string): Answer {
    if (!this.scopes.has(DIAL)) return lacks(DIAL);
    const { data } = Dialing.safeParse(JSON.parse(body));
    const meeting = this.meetings.find(({ id }) => id === meetingId);
    if (data === undefined) return refused(400, 300, 'Validation Failed.');
    if (meeting === undefined) return refused(404, 3001, `Meeting does not exist: ${meetingId}.`);
    if (meeting.host !== user && !this.crcPlans.has(user)) return refused(400, 200, 'No CRC plan.');
    if ((data.passcode ?? '') !== meeting.passcode) return refused(400, 3161, 'Meeting passcode is invalid.');
    const isPaid = this.crcPlans.has(user);
    const address = [meetingId, meeting.passcode, '', '', ...(isPaid ? ['7654321'] : [])].join('.');
    return {
      status: 201,
      body: {
        sip_dialing: `${address.replace(/\.+$/, '')}@zoomcrc.com`,
        paid_crc_plan_participant: isPaid,
        ...(isPaid && { participant_identifier_code: '7654321', expire_in: 7_200 }),
      },
    };
  }
}

function shown({ uuid, id, passcode, numbers }: FakeZoomMeeting): object {
  return {
    uuid,
    id: Number(id),
    topic: 'Meeting',
    type: 2,
    join_url: `https://us05web.zoom.us/j/${id}?pwd=hash.1`,
    ...(passcode !== '' && { password: 'letters', pstn_password: passcode, h323_password: passcode }),
    settings: {
      global_dial_in_numbers: numbers.map((number) => ({
        ...number,
        country_name: number.country,
        city: '',
      })),
    },
  };
}

function lacks(scope: string): Answer {
  return refused(400, 4_711, `Invalid access token, does not contain scopes:[${scope}].`);
}

function refused(status: number, code: number, message: string): Answer {
  return { status, body: { code, message } };
}
