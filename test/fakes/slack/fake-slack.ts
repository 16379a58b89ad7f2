import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Faults } from '../faults.ts';
import { Announcements } from './events/announcements.ts';
import { type RetryDelays, SLACK_RETRY_DELAYS } from './events/event-delivery.ts';
import { FakePerson } from './fake-person.ts';
import { FileHost } from './file-host.ts';
import { Authorization } from './oauth/authorization.ts';
import { answer, answerRefusal, type Fault } from './refusal.ts';
import { newId } from './slack-ids.ts';
import { readCall } from './web-api/read-arguments.ts';
import { SlackError } from './web-api/slack-error.ts';
import { UploadSlots } from './web-api/upload-slots.ts';
import { WebApi } from './web-api/web-api.ts';
import { FakeApp } from './world/fake-app.ts';
import { type FakeEnterprise, FakeWorkspace } from './world/fake-workspace.ts';

export interface FakeSlackOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly retryDelays?: RetryDelays;
  /** Whether calls of a method beyond its tier are refused (https://docs.slack.dev/apis/web-api/rate-limits). */
  readonly hasLimits?: boolean;
}

/** Calls of a workspace's app within a minute. */
const MOST_PER_MINUTE: Readonly<Record<string, number>> = { 'chat.update': 50, 'conversations.history': 50 };
const MINUTE_MS = 60_000;

/** Errors that only a mistake of the client brings about. */
const OFFENCES =
  /^(?:invalid_arguments|invalid_json|invalid_post_type|missing_post_type|unknown_method|msg_too_long|no_text|invalid_thread_ts|bad_redirect_uri|invalid_scope|invalid_client_id|bad_client_secret)$/;

/** Slack on loopback: Web API, file host, Events API. As strict as the real one or stricter. */
export class FakeSlack {
  /** Mistakes in requests: tests expect none. */
  readonly offences: string[] = [];
  /** Methods that were called too often. */
  readonly throttled: string[] = [];
  /** When methods were called within the last minute, by token. */
  readonly #recent = new Map<string, number[]>();
  /** Methods called so far, whatever their result. */
  readonly calls: string[] = [];
  readonly announcements = new Announcements(() => this.#apps);
  readonly #server: Server;
  readonly #apps: FakeApp[] = [];
  readonly #workspaces: FakeWorkspace[] = [];
  readonly #faults = new Faults(answerRefusal);
  readonly #uploads = new UploadSlots(() => this.#origin);
  readonly authorization = new Authorization(() => this.#apps);
  readonly #api = new WebApi(() => this.#apps, this.announcements, this.#uploads);
  readonly #files = new FileHost(
    () => this.#apps,
    () => this.#workspaces,
    this.#uploads,
  );
  readonly #options: FakeSlackOptions;

  private constructor(server: Server, options: FakeSlackOptions) {
    this.#server = server;
    this.#options = options;
    server.on('request', (request, response) => void this.#serve(request, response));
    server.on('upgrade', (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'http://fake').searchParams.get('ticket') ?? '';
      const isKnown = this.#apps.some(({ delivery }) =>
        delivery.sockets?.upgrade(ticket, request, socket, head),
      );
      if (!isKnown) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    });
  }

  static async start(options: FakeSlackOptions = {}): Promise<FakeSlack> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeSlack(server, options);
  }

  /** Settings of a gateway that uses this Slack. */
  get settings() {
    return { SVC_SLACK_API_URL: `${this.#origin}/api`, SVC_SLACK_FILES_URL: this.#origin } as const;
  }

  addWorkspace(name = 'Acme', enterprise: FakeEnterprise | null = null): FakeWorkspace {
    const workspace = new FakeWorkspace(name, enterprise, () => this.#origin);
    this.#workspaces.push(workspace);
    return workspace;
  }

  addEnterprise(name = 'Corporation'): FakeEnterprise {
    return { id: newId('E'), name };
  }

  addApp(name = 'Gateway'): FakeApp {
    const app = new FakeApp(name, this.#options.retryDelays ?? SLACK_RETRY_DELAYS);
    this.#apps.push(app);
    return app;
  }

  addPerson(workspace: FakeWorkspace, realName: string): FakePerson {
    return new FakePerson(workspace.addUser(realName), workspace, this.announcements);
  }

  /** What happens to the next calls of a method, or downloads (`file`) and uploads (`upload`), one each. */
  fail(method: string, ...faults: readonly Fault[]): void {
    this.#faults.add(method, faults);
  }

  async stop(): Promise<void> {
    for (const { delivery } of this.#apps) delivery.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, area = '', ...rest] = new URL(request.url ?? '/', 'http://fake').pathname.split('/');
    try {
      if (area === 'api') await this.#serveCall(request, response, rest.join('/'));
      else if (area === 'oauth') this.#serveConsent(request, response);
      else await this.#serveFile(request, response, area, rest);
    } catch (error) {
      this.#refuse(response, `${area}/${rest[0]}`, error);
    }
  }

  async #serveCall(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    this.calls.push(method);
    const call = await readCall(request);
    const fault = this.#faults.take(method);
    if (fault && !fault.isAfterwards) return fault.apply(response);
    if (this.#options.hasLimits && this.#isTooMany(method, call.token)) {
      this.throttled.push(method);
      return answerRefusal({ kind: 'throttle', retryAfterS: 30 }, response);
    }
    const result =
      method === 'oauth.v2.access' ? this.authorization.access(call) : this.#api.run(method, call);
    if (fault) fault.apply(response);
    else answer(response, 200, { ok: true, ...result });
  }

  #isTooMany(method: string, token: string): boolean {
    const most = MOST_PER_MINUTE[method];
    if (most === undefined) return false;
    const key = `${method} ${token}`;
    const recent = (this.#recent.get(key) ?? []).filter((atMs) => Date.now() - atMs < MINUTE_MS);
    this.#recent.set(key, [...recent, Date.now()]);
    return recent.length >= most;
  }

  /** The consent page, which its visitor leaves at once. */
  #serveConsent(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '/', 'http://fake');
    response.writeHead(302, { Location: this.authorization.decide(searchParams).href }).end();
  }

  async #serveFile(
    request: IncomingMessage,
    response: ServerResponse,
    area: string,
    rest: readonly string[],
  ): Promise<void> {
    const fault = this.#faults.take(area === 'upload' ? 'upload' : 'file');
    if (fault) fault.apply(response);
    else if (area === 'upload') await this.#files.upload(request, response, rest.at(-1) ?? '');
    else this.#files.download(request, response);
  }

  #refuse(response: ServerResponse, what: string, error: unknown): void {
    const known = error instanceof SlackError ? error : new SlackError('fatal_error', { detail: `${error}` });
    if (OFFENCES.test(known.message) || !(error instanceof SlackError))
      this.offences.push(`${what}: ${known.message} ${JSON.stringify(known.more)}`);
    answer(response, 200, { ok: false, error: known.message, ...known.more });
  }
}
