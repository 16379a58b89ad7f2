import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebSocket } from 'ws';
import { type Account, Accounts } from './accounts.ts';
import { AuthorizationServer } from './authorization-server.ts';
import { EventFeed } from './event-feed.ts';
import { Faults } from './faults.ts';
import { Meeting } from './meeting.ts';
import { answerRequest } from './rest-api.ts';
import type { Session } from './session.ts';
import { SocketTickets } from './socket-tickets.ts';
import { Space, type SpaceEvent } from './space.ts';
import { StoredFiles } from './stored-files.ts';
import { notFound, VendorError } from './vendor-error.ts';
import { WebhookSender } from './webhook-sender.ts';

const BOT_SCOPES = ['calls', 'messages'];

/**
 * The vendor behind the loopback platform: meetings, direct messages and channels on 127.0.0.1, with a REST API,
 * WebSockets, webhooks and an authorization server of its own. Strict in what it takes, and in the test's own process,
 * which plays all people.
 */
export class LoopbackVendor {
  readonly accounts: Accounts;
  readonly authorization: AuthorizationServer;
  readonly files = new StoredFiles();
  readonly faults = new Faults();
  readonly baseUrl: string;
  /** What the API says to everybody while it is down; null: it works. */
  outage: string | null = null;
  readonly #server: Server;
  readonly #tickets: SocketTickets;
  readonly #meetings = new Map<string, Meeting>();
  readonly #spaces = new Map<string, Space>();
  /** Of people, by account. */
  readonly #feeds = new Map<string, EventFeed>();
  /** Of bots, by account. */
  readonly #webhooks = new Map<string, WebhookSender>();

  private constructor(server: Server, accounts: Accounts, authorization: AuthorizationServer) {
    this.accounts = accounts;
    this.authorization = authorization;
    this.#server = server;
    this.#tickets = new SocketTickets(server);
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<LoopbackVendor> {
    const accounts = new Accounts();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackVendor(server, accounts, await AuthorizationServer.start(accounts));
  }

  async stop(): Promise<void> {
    for (const meeting of this.#meetings.values()) meeting.close();
    for (const webhook of this.#webhooks.values()) webhook.close();
    this.#tickets.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.authorization.stop();
  }

  meeting(): Meeting {
    const id = randomUUID();
    const meeting = new Meeting(id, (session) =>
      this.socketUrl((socket) => meeting.attachMedia(session, socket)),
    );
    this.#meetings.set(id, meeting);
    return meeting;
  }

  /** How people are invited. */
  meetingUrl({ id }: Meeting, media: 'pcm' | 'packets' = 'pcm'): string {
    return `${this.baseUrl}/meet/${id}?media=${media}`;
  }

  channel(name: string, ...members: readonly Account[]): Space {
    return this.#newSpace('channel', name, members);
  }

  direct(one: Account, other: Account): Space {
    return this.#newSpace('direct', `${one.name} and ${other.name}`, [one, other]);
  }

  feedOf({ id }: Account): EventFeed {
    const feed = this.#feeds.get(id) ?? new EventFeed();
    this.#feeds.set(id, feed);
    return feed;
  }

  webhookOf({ id }: Account): WebhookSender {
    const webhook = this.#webhooks.get(id) ?? new WebhookSender();
    this.#webhooks.set(id, webhook);
    return webhook;
  }

  async subscribe(account: Account, url: string, secret: string): Promise<void> {
    if (account.kind !== 'bot') throw new VendorError(403, 'not_a_bot', 'Only bots have webhooks');
    await this.webhookOf(account).subscribe(url, secret);
  }

  /** Throws VendorError. */
  meetingOf(id: string): Meeting {
    const meeting = this.#meetings.get(id);
    if (meeting === undefined) throw notFound('meeting');
    return meeting;
  }

  /** A space by `spaces/<id>`, or the direct conversation with `people/<id>`. Throws VendorError. */
  spaceAt(account: Account, path: string): Space {
    const [what, id = ''] = path.split('/');
    const other = what === 'people' ? this.accounts.find(id) : null;
    const space = other ? this.#directOf(account, other) : this.#spaces.get(id);
    if (space === undefined) throw notFound('space');
    return space;
  }

  sessionOf(account: Account, id: string): { readonly meeting: Meeting; readonly session: Session } {
    for (const meeting of this.#meetings.values()) {
      const session = meeting.sessions.find((each) => each.id === id && each.account === account);
      if (session !== undefined) return { meeting, session };
    }
    throw notFound('session');
  }

  /** The address of a WebSocket that is given to `take` when it opens. */
  socketUrl(take: (socket: WebSocket) => void): string {
    return `${this.baseUrl.replace('http', 'ws')}${this.#tickets.issue(take)}`;
  }

  #directOf(one: Account, other: Account): Space | undefined {
    const all = [...this.#spaces.values()].filter(({ kind }) => kind === 'direct');
    return all.find(({ members }) => members.includes(one) && members.includes(other));
  }

  #newSpace(kind: Space['kind'], name: string, members: readonly Account[]): Space {
    const space = new Space({ kind, name, members }, (event, to) => this.#tell(event, to));
    this.#spaces.set(space.id, space);
    return space;
  }

  /** Bots hear by webhook, people by their event feed. */
  #tell(event: SpaceEvent, to: Account): void {
    if (to.kind === 'person') return this.feedOf(to).push(event);
    const { space, thread } = event.message;
    const webhook = this.webhookOf(to);
    webhook.send(event, (answer) => this.#spaces.get(space.id)?.write(to, { ...answer, thread }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (this.outage !== null) throw new VendorError(503, 'down', this.outage);
      const { pathname: path } = new URL(request.url ?? '/', this.baseUrl);
      const header = (name: string) => String(request.headers[name] ?? '');
      const body = await buffer(request);
      const holder = await this.#holderOf(header('authorization'));
      const answer = await answerRequest(
        this,
        { method: request.method ?? '', path },
        { ...holder, body, header },
      );
      if ('none' in answer) {
        if (answer.none === 'cut') response.destroy();
      } else if ('json' in answer) send(response, 200, answer.json);
      else response.writeHead(200, { 'content-type': answer.file.facts.mime }).end(answer.file.bytes);
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      const { status, code, message, retryAfterS } = error;
      if (retryAfterS !== null) response.setHeader('retry-after', `${retryAfterS}`);
      send(response, status, { error: { code, message } });
    }
  }

  async #holderOf(authorization: string): Promise<{ account: Account; scopes: readonly string[] }> {
    const token = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
    const bot = this.accounts.withBotToken(token);
    const holder = bot ? { account: bot, scopes: BOT_SCOPES } : await this.authorization.holderOf(token);
    if (holder === null) throw new VendorError(401, 'invalid_token', 'The token is invalid');
    return holder;
  }
}

function send(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}
