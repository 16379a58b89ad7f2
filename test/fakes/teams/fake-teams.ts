import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Faults } from '../faults.ts';
import { LoginEndpoint } from './auth/login-endpoint.ts';
import { connectorToken, firstSigningKey, publishedKey, type SigningKey } from './auth/signing-keys.ts';
import type { ActivitySource } from './delivery/activities.ts';
import { ActivityDelivery, RETRY_DELAYS, type RetryDelays } from './delivery/activity-delivery.ts';
import { FakePerson } from './fake-person.ts';
import { FileHost } from './file-host.ts';
import type { PeopleServices } from './meetings/people-services.ts';
import { answer, answerRefusal, type Fault, type Operation } from './refusal.ts';
import { ConnectorApi } from './rest/connector-api.ts';
import { GraphApi } from './rest/graph-api.ts';
import { offence, TeamsError } from './rest/teams-error.ts';
import { FakeBot } from './world/fake-bot.ts';
import { FakeWorld } from './world/fake-world.ts';
import { newGuid } from './world/teams-ids.ts';

export interface FakeTeamsOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly retryDelays?: RetryDelays;
  /** The bot's tenant. `botframework.com`: a multi-tenant bot. */
  readonly botTenant?: string;
}

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit */
const MOST_PER_SECOND = 50;

export const ISSUER = 'https://api.botframework.com';

/** Teams with one bot on loopback: Bot Connector, login endpoint, keys, Graph, files. As strict as the real one or stricter. */
export class FakeTeams {
  readonly tenantId = newGuid();
  readonly bot: FakeBot;
  readonly world: FakeWorld;
  readonly login: LoginEndpoint;
  readonly files = new FileHost(() => this.origin);
  readonly delivery: ActivityDelivery;
  /** Mistakes in requests: tests expect none. */
  readonly offences: string[] = [];
  /** Requests so far: operation and path. */
  readonly calls: string[] = [];
  /** Keys that are published; the last one signs. */
  keys: SigningKey[] = [firstSigningKey()];
  /** The app's id in the tenants' catalogs; null: it is not there. */
  catalogId: string | null = newGuid();
  /** Null: there are only services for bots. */
  people: PeopleServices | null = null;
  /** Requests that were too many. */
  throttled = 0;
  /** Whether more requests of the bot than Teams takes in a second are refused. */
  hasLimits = false;
  /** When the bot has asked within the last second. */
  #askedMs: number[] = [];
  readonly #server: Server;
  readonly #faults = new Faults(answerRefusal);
  readonly #connector: ConnectorApi;
  readonly #graph: GraphApi;

  private constructor(server: Server, options: FakeTeamsOptions) {
    this.#server = server;
    this.bot = new FakeBot('Agent', options.botTenant ?? this.tenantId);
    this.world = new FakeWorld(this.bot);
    this.login = new LoginEndpoint(
      () => [this.bot],
      () => `${this.origin}/graph/.default`,
    );
    this.delivery = new ActivityDelivery({
      retryDelays: options.retryDelays ?? RETRY_DELAYS,
      token: () => this.token(),
    });
    this.#connector = new ConnectorApi(this.world);
    this.#graph = new GraphApi(
      this.world,
      () => this.catalogId,
      () => `${this.origin}/graph/v1.0`,
    );
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(options: FakeTeamsOptions = {}): Promise<FakeTeams> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeTeams(server, options);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get serviceUrl(): string {
    return `${this.origin}/teams/`;
  }

  /** Settings of a gateway whose bot is this one. */
  get settings() {
    return {
      SVC_TEAMS_APP_ID: this.bot.appId,
      SVC_TEAMS_APP_SECRET: this.bot.secret,
      SVC_TEAMS_TENANT_ID: this.bot.tenantId,
      SVC_TEAMS_LOGIN_URL: this.origin,
      SVC_TEAMS_OPENID_URL: `${this.origin}/v1/.well-known/openidconfiguration`,
      SVC_TEAMS_SERVICE_URL: this.serviceUrl,
      SVC_TEAMS_GRAPH_URL: `${this.origin}/graph`,
      SVC_TEAMS_FILES_URL: this.origin,
    } as const;
  }

  get source(): ActivitySource {
    return { bot: this.bot, serviceUrl: this.serviceUrl };
  }

  /** A token of the Bot Connector for the bot, as every activity carries it. */
  async token(): Promise<string> {
    const { appId: audience } = this.bot;
    return await connectorToken(this.keys.at(-1)!, { issuer: ISSUER, audience, serviceUrl: this.serviceUrl });
  }

  addPerson(name: string, tenantId = this.tenantId): FakePerson {
    const { world, delivery, files } = this;
    return new FakePerson(world.addUser(name, tenantId), {
      world,
      delivery,
      files,
      source: () => this.source,
    });
  }

  /** What happens to the next requests of an operation, one each. */
  fail(operation: Operation, ...faults: readonly Fault[]): void {
    this.#faults.add(operation, faults);
  }

  async stop(): Promise<void> {
    this.delivery.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const path = url.pathname;
    const isOfFile = path.startsWith('/uploads/') || path.startsWith('/files/');
    const body = isOfFile ? '' : await text(request).catch(() => '');
    const forPeople = await this.people?.answer(request, url, body);
    if (forPeople) {
      response.writeHead(forPeople.status, Object.fromEntries(forPeople.headers));
      return void response.end(await forPeople.text());
    }
    const operation = operationOf(request.method ?? '', path, body);
    this.calls.push(`${operation} ${request.method} ${path}`);
    try {
      const fault = this.#faults.take(operation);
      if (fault && !fault.isAfterwards) return fault.apply(response);
      if (operation === 'file') return this.#download(request, url, response);
      if (operation === 'upload') return await this.files.upload(path.split('/')[2] ?? '', request, response);
      if (path.startsWith('/teams/v3/conversations') && this.#isTooMuch()) {
        this.throttled += 1;
        return answerRefusal({ kind: 'throttle', retryAfterS: null }, response);
      }
      const { status, body: result } = this.#run(request, url, body);
      if (fault) fault.apply(response);
      else answer(response, status, result);
    } catch (error) {
      this.#refuse(response, url.pathname, error);
    }
  }

  #isTooMuch(): boolean {
    this.#askedMs = [...this.#askedMs.filter((atMs) => Date.now() - atMs < 1_000), Date.now()];
    return this.hasLimits && this.#askedMs.length > MOST_PER_SECOND;
  }

  #run(request: IncomingMessage, url: URL, body: string): { status: number; body: unknown } {
    const { method = '' } = request;
    const [area = '', ...rest] = url.pathname.split('/').slice(1).map(decodeURIComponent);
    if (url.pathname === '/v1/.well-known/openidconfiguration')
      return { status: 200, body: this.#metadata() };
    if (url.pathname === '/v1/.well-known/keys')
      return { status: 200, body: { keys: this.keys.map(publishedKey) } };
    if (url.pathname.endsWith('/oauth2/v2.0/token')) return this.login.token(area, new URLSearchParams(body));
    if (area === 'graph') {
      const { tenant } = this.#holder(request, 'graph');
      return this.#graph.run(method, url, parsed(body), tenant);
    }
    if (area !== 'teams' || rest[0] !== 'v3') throw new TeamsError(404, 'NotFound', 'Not found', true);
    this.#holder(request, 'bot');
    return this.#connector.run({ method, path: rest.slice(1), body: parsed(body) });
  }

  #holder(request: IncomingMessage, kind: 'bot' | 'graph') {
    const holder = this.login.holder(request.headers.authorization, kind);
    if (!holder) throw new TeamsError(401, 'Unauthorized', 'Authorization has been denied for this request.');
    return holder;
  }

  /** Pre-authorized addresses take no token; the service's own ones need it. */
  #download(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const [area, ...rest] = url.pathname.split('/').slice(1);
    if (area === 'teams') this.#holder(request, 'bot');
    else if (request.headers.authorization !== undefined)
      throw offence('The bot showed its token to a stranger');
    this.files.download((area === 'teams' ? rest[2] : rest[0]) ?? '', response);
  }

  #metadata(): object {
    return {
      issuer: ISSUER,
      authorization_endpoint: 'https://invalid.botframework.com',
      jwks_uri: `${this.origin}/v1/.well-known/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
    };
  }

  #refuse(response: ServerResponse, path: string, error: unknown): void {
    const known = error instanceof TeamsError ? error : new TeamsError(500, 'ServiceError', `${error}`, true);
    const { status, code, message, isOffence } = known;
    if (isOffence) this.offences.push(`${path}: ${code} ${message}`);
    answer(response, status, { error: { code, message } });
  }
}

function operationOf(method: string, path: string, body: string): Operation {
  if (path.endsWith('/oauth2/v2.0/token')) return 'token';
  if (path.startsWith('/v1/.well-known')) return 'keys';
  if (path.startsWith('/graph/')) return 'graph';
  if (path.startsWith('/uploads/')) return 'upload';
  if (path.startsWith('/files/') || path.startsWith('/teams/v3/attachments/')) return 'file';
  if (method === 'POST' && path === '/teams/v3/conversations') return 'create';
  if (!path.endsWith('/activities')) return 'directory';
  return body.includes('"type":"typing"') ? 'typing' : 'send';
}

function parsed(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw offence('The request body is not JSON');
  }
}
