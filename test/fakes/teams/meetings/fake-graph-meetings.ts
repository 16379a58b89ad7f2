import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

export interface FakeAudioConferencing {
  readonly conferenceId: string;
  readonly tollNumber?: string;
  readonly tollNumbers: readonly string[];
  readonly tollFreeNumbers: readonly string[];
}

export interface FakeOnlineMeeting {
  readonly id: string;
  /** Who has organized it: the owner of the access token. */
  readonly organizer: string;
  readonly joinWebUrl: string;
  readonly joinMeetingId: string;
  readonly audioConferencing: FakeAudioConferencing | null;
}

const Created = z.strictObject({
  startDateTime: z.iso.datetime(),
  endDateTime: z.iso.datetime(),
  subject: z.string().max(255).optional(),
});

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Online meetings in Microsoft Graph v1.0, of the people whose tokens these are, on loopback. */
export class FakeGraphMeetings {
  readonly url: string;
  readonly meetings: FakeOnlineMeeting[] = [];
  /** Returns the user whose access token this is. */
  userOf: (accessToken: string) => string | null = () => null;
  readonly requests: string[] = [];
  /** For meetings of other organizers: Graph has been seen to find none, and to refuse with 403 and 404. */
  statusForOthers = 200;
  /** What new meetings have; null: their organizer has no Audio Conferencing. */
  audioConferencing: FakeAudioConferencing | null = null;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(port = 0): Promise<FakeGraphMeetings> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new FakeGraphMeetings(server);
  }

  add(organizer: string, meeting: Partial<FakeOnlineMeeting> = {}): FakeOnlineMeeting {
    const count = this.meetings.length;
    const added = {
      id: `MSo1N2Y5ZGFjYy0${count}`,
      organizer,
      joinWebUrl: `https://teams.microsoft.com/l/meetup-join/19%3ameeting_${count}%40thread.v2/0?context=%7b%22Tid%22%3a%22t%22%7d`,
      joinMeetingId: `${234_567_890_100 + count}`,
      audioConferencing: this.audioConferencing,
      ...meeting,
    };
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
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const user = this.userOf((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    const { status, body: answer } =
      user === null
        ? refused(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.')
        : url.search.includes('+')
          ? refused(400, 'BadRequest', 'Invalid filter clause')
          : this.#route(`${request.method} ${url.pathname}`, url, user, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #route(target: string, { searchParams: query }: URL, user: string, body: string): Answer {
    switch (target) {
      case 'GET /v1.0/me/onlineMeetings':
        return this.#find(query, user);
      case 'POST /v1.0/me/onlineMeetings': {
        const { data } = Created.safeParse(JSON.parse(body));
        if (!data) return refused(400, 'BadRequest', 'Invalid meeting.');
        return { status: 201, body: shown(this.add(user)) };
      }
      default:
        return refused(400, 'BadRequest', `Resource not found for the segment '${target}'.`);
    }
  }

  /** Only these two filters are supported, and only one meeting is found. */
  #find(query: URLSearchParams, user: string): Answer {
    const filter = query.get('$filter') ?? '';
    const [, url] = /^JoinWebUrl eq '(.*)'$/.exec(filter) ?? [];
    const [, id] = /^joinMeetingIdSettings\/joinMeetingId eq '(\d+)'$/.exec(filter) ?? [];
    if ((url === undefined && id === undefined) || [...query.keys()].length > 1)
      return refused(
        400,
        'InvalidArgument',
        'Filter expression expected - /onlineMeetings?$filter=JoinWebUrl eq',
      );
    const found = this.meetings.find(
      ({ joinWebUrl, joinMeetingId }) => joinWebUrl === url?.replaceAll("''", "'") || joinMeetingId === id,
    );
    if (found?.organizer === user) return { status: 200, body: { value: [shown(found)] } };
    return this.statusForOthers === 200
      ? { status: 200, body: { value: [] } }
      : refused(this.statusForOthers, 'Forbidden', 'An error has occurred.');
  }
}

function shown({ id, joinWebUrl, joinMeetingId, audioConferencing }: FakeOnlineMeeting): object {
  return {
    id,
    joinWebUrl,
    subject: 'Meeting',
    joinMeetingIdSettings: { joinMeetingId, isPasscodeRequired: true, passcode: 'x' },
    audioConferencing: audioConferencing && {
      ...audioConferencing,
      dialinUrl: `https://dialin.teams.microsoft.com/${audioConferencing.conferenceId}`,
    },
  };
}

function refused(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message, innerError: { date: '2026-11-27T08:00:00' } } } };
}
