import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGoogleLogin } from '../logins/google-login.ts';
import type { Grant, LoginVendor } from '../logins/login-vendor.ts';

const READ = 'https://www.googleapis.com/auth/meetings.space.readonly';
const CREATED = 'https://www.googleapis.com/auth/meetings.space.created';
const DEFAULT_PAGE = 100;
const MAX_PAGE = 250;

export interface PhoneAccess {
  readonly phoneNumber: string;
  readonly pin: string;
  readonly regionCode: string;
  readonly languageCode: string;
}

/** A meeting. */
export interface FakeSpace {
  readonly id: string;
  readonly code: string;
  /** Google accounts that may see it; null: all. */
  readonly seenBy: ReadonlySet<string> | null;
  phoneAccess: readonly PhoneAccess[];
  gatewaySipAccess: readonly { readonly uri: string; readonly sipAccessCode: string }[];
  /** Who is there now; null: nobody has begun it. */
  people: readonly { readonly kind: 'signedinUser' | 'anonymousUser' | 'phoneUser'; name: string }[] | null;
}

/** Google's words for an error (https://cloud.google.com/apis/design/errors). */
class Refused extends Error {
  readonly code: number;
  readonly status: string;

  constructor(code: number, status: string, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Google Meet's REST API v2 on loopback, with Google's login. What its discovery document does not have is refused. */
export class FakeMeet {
  readonly login: LoginVendor;
  readonly url: string;
  readonly spaces: FakeSpace[] = [];
  /** Requests, as `GET /v2/spaces/abc-mnop-xyz`. */
  readonly requests: string[] = [];
  /** The next requests are answered with this status. */
  readonly faults: number[] = [];
  faultWords = 'The service is currently unavailable.';
  /** What new meetings have. */
  phoneAccess: readonly PhoneAccess[] = [];
  readonly #server: Server;

  private constructor(login: LoginVendor, server: Server) {
    this.login = login;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FakeMeet> {
    const login = await startGoogleLogin();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeMeet(login, server);
  }

  get settings(): Record<string, string> {
    return {
      SVC_MEET_CLIENT_ID: this.login.clientId,
      SVC_MEET_CLIENT_SECRET: this.login.clientSecret,
      SVC_MEET_LOGIN_URL: this.login.url,
      SVC_MEET_API_URL: this.url,
    };
  }

  add(code: string, space: Partial<FakeSpace> = {}): FakeSpace {
    const { phoneAccess } = this;
    const id = `sp${this.spaces.length}QCFfuBOdN5z`;
    const added = { id, code, seenBy: null, phoneAccess, gatewaySipAccess: [], people: null, ...space };
    this.spaces.push(added);
    return added;
  }

  /** A token of the login's visitor, as connecting brings it. */
  async accessToken(): Promise<string> {
    const { login } = this;
    const redirect = 'http://127.0.0.1/callback';
    login.redirectUris.add(redirect);
    const verifier = randomBytes(32).toString('base64url');
    const asked = new URL('/o/oauth2/v2/auth', login.url);
    asked.search = new URLSearchParams({
      client_id: login.clientId,
      response_type: 'code',
      redirect_uri: redirect,
      scope: `openid profile email ${READ} ${CREATED}`,
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      access_type: 'offline',
    }).toString();
    const sentBack = (await fetch(asked, { redirect: 'manual' })).headers.get('location') ?? '';
    const answer = await fetch(`${login.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(sentBack).searchParams.get('code') ?? '',
        redirect_uri: redirect,
        client_id: login.clientId,
        client_secret: login.clientSecret,
        code_verifier: verifier,
      }),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.all([once(this.#server, 'close'), this.login.stop()]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    try {
      const fault = this.faults.shift();
      if (fault !== undefined) throw new Refused(fault, 'UNAVAILABLE', this.faultWords);
      write(
        response,
        200,
        this.#route(`${request.method} ${url.pathname}`, url, this.#grantOf(request), body),
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, status, message } = error;
      write(response, code, { error: { code, message, status } });
    }
  }

  #route(target: string, { searchParams: query }: URL, grant: Grant, body: string): object {
    const [, space] = /^GET \/v2\/spaces\/([^/]+)$/.exec(target) ?? [];
    if (space !== undefined) {
      refuseUnknown(query, []);
      requireScope(grant, [READ, CREATED]);
      return this.#shown(this.#spaceOf(decodeURIComponent(space), grant));
    }
    const [, conference] = /^GET \/v2\/conferenceRecords\/([^/]+)\/participants$/.exec(target) ?? [];
    if (conference !== undefined) {
      refuseUnknown(query, ['pageSize', 'pageToken', 'filter']);
      requireScope(grant, [READ, CREATED]);
      return this.#participants(decodeURIComponent(conference), query, grant);
    }
    if (target === 'POST /v2/spaces') {
      refuseUnknown(query, []);
      requireScope(grant, [CREATED]);
      if (body !== '' && JSON.stringify(JSON.parse(body)) !== '{}')
        throw new Refused(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name.');
      return this.#shown(this.add(newCode(this.spaces.length), { seenBy: new Set([grant.visitor.id]) }));
    }
    throw new Refused(404, 'NOT_FOUND', 'Requested entity was not found.');
  }

  #grantOf({ headers }: IncomingMessage): Grant {
    const grant = this.login.grantOf((headers.authorization ?? '').replace(/^Bearer /, ''));
    if (grant !== null) return grant;
    throw new Refused(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    );
  }

  /** Codes are not case-sensitive; ids are. What an account may not see does not exist for it. */
  #spaceOf(name: string, { visitor }: Grant): FakeSpace {
    const space = this.spaces.find(({ id, code }) => id === name || code === name.toLowerCase());
    if (space !== undefined && (space.seenBy === null || space.seenBy.has(visitor.id))) return space;
    throw new Refused(
      403,
      'PERMISSION_DENIED',
      'Permission denied on resource Space (or it might not exist).',
    );
  }

  #shown({ id, code, phoneAccess, gatewaySipAccess, people }: FakeSpace): object {
    return {
      name: `spaces/${id}`,
      meetingUri: `https://meet.google.com/${code}`,
      meetingCode: code,
      config: { accessType: 'TRUSTED', entryPointAccess: 'ALL' },
      ...(phoneAccess.length > 0 && { phoneAccess }),
      ...(gatewaySipAccess.length > 0 && { gatewaySipAccess }),
      ...(people !== null && { activeConference: { conferenceRecord: `conferenceRecords/cr-${id}` } }),
    };
  }

  #participants(conference: string, query: URLSearchParams, grant: Grant): object {
    const space = this.spaces.find(({ id }) => `cr-${id}` === conference);
    if (space === undefined || space.people === null)
      throw new Refused(404, 'NOT_FOUND', 'Requested entity was not found.');
    this.#spaceOf(space.id, grant);
    const filter = query.get('filter') ?? '';
    if (!/^(latest_end_time IS NULL)?$/.test(filter))
      throw new Refused(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.');
    const size = Math.min(Number(query.get('pageSize') ?? DEFAULT_PAGE), MAX_PAGE);
    const from = Number(query.get('pageToken') ?? 0);
    const page = space.people.slice(from, from + size);
    const next = from + page.length;
    return {
      participants: page.map(({ kind, name }, index) => ({
        name: `conferenceRecords/${conference}/participants/${from + index}`,
        [kind]: { displayName: name, ...(kind === 'signedinUser' && { user: `users/${from + index}` }) },
        earliestStartTime: '2026-11-27T08:00:00Z',
      })),
      ...(next < space.people.length && { nextPageToken: `${next}` }),
      totalSize: space.people.length,
    };
  }
}

function refuseUnknown(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys())
    if (!known.includes(name))
      throw new Refused(
        400,
        'INVALID_ARGUMENT',
        `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`,
      );
}

function requireScope({ scope }: Grant, one: readonly string[]): void {
  const granted = scope.split(' ');
  if (!one.some((each) => granted.includes(each)))
    throw new Refused(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.');
}

function newCode(count: number): string {
  const letters = (n: number) => String.fromCharCode(97 + (count % 26)).repeat(n);
  return `${letters(3)}-${letters(4)}-${letters(3)}`;
}

function write(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
