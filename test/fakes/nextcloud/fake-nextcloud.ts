import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Faults } from '../faults.ts';
import { LoginGuard } from './http/login-guard.ts';
import { type NcAnswer, OcsError, ocsAnswer, PlainError, send } from './http/nc-answer.ts';
import { type NcRequest, readRequest } from './http/nc-request.ts';
import { OcsApi } from './http/ocs-api.ts';
import type { NcScene } from './http/ocs-route.ts';
import { PhpSessions } from './http/php-sessions.ts';
import { answerRefusal, type Fault } from './refusal.ts';
import { CHAT_ROUTES } from './talk/chat-routes.ts';
import { cloudRoutes } from './talk/cloud-routes.ts';
import { wakeUp } from './talk/long-poll.ts';
import { REACTION_ROUTES } from './talk/reaction-routes.ts';
import { PARTICIPANT_ROUTES, ROOM_ROUTES } from './talk/room-routes.ts';
import { FakeNcUser } from './world/fake-nc-user.ts';
import type { FakeRoom } from './world/fake-room.ts';
import { type NcPolicy, NcWorld, type NewRoom } from './world/nc-world.ts';

export interface FakeNextcloudOptions {
  /** 0: any free one. */
  readonly port?: number;
}

/** A Nextcloud with Talk on loopback. As strict as the real one or stricter. */
export class FakeNextcloud {
  readonly world = new NcWorld(() => Math.floor(Date.now() / 1_000));
  readonly guard = new LoginGuard(this.world);
  /** Mistakes in requests: tests expect none. */
  readonly mistakes: string[] = [];
  /** Requests so far: the route's name, and the path. */
  readonly calls: string[] = [];
  readonly #server: Server;
  readonly #sessions = new PhpSessions();
  readonly #faults = new Faults(answerRefusal);
  readonly #ocs: OcsApi;

  private constructor(server: Server) {
    this.#server = server;
    this.#ocs = new OcsApi(
      [...cloudRoutes(() => ({})), ...ROOM_ROUTES, ...PARTICIPANT_ROUTES, ...CHAT_ROUTES, ...REACTION_ROUTES],
      this.guard,
    );
    this.world.watchers.push({ wrote: wakeUp });
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(options: FakeNextcloudOptions = {}): Promise<FakeNextcloud> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeNextcloud(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the administrator has set up. */
  get policy(): NcPolicy {
    return this.world.policy;
  }

  user(uid: string, name = uid, { isAdmin = false } = {}): FakeNcUser {
    return this.world.addUser(new FakeNcUser(uid, name, { isAdmin }));
  }

  /** The first member owns the conversation. A one-to-one conversation that is there is returned again. */
  room(made: NewRoom): FakeRoom {
    const [one, other] = made.members;
    return made.kind === 'one-to-one' ? this.world.direct(one!, other!).room : this.world.addRoom(made);
  }

  /** What happens to the next requests of a route, one each. */
  fail(route: string, ...faults: readonly (Fault | null)[]): void {
    this.#faults.add(route, faults);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get #scene(): NcScene {
    return { world: this.world, origin: this.url, mistake: (words) => this.mistakes.push(words) };
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const request = await readRequest(message, gone.signal).catch(() => null);
    if (!request) return;
    const { session, setCookies } = this.#sessions.of(request);
    try {
      if (this.policy.isInMaintenance) return send(response, MAINTENANCE);
      const found = this.#ocs.find(request);
      this.calls.push(`${found.route.name} ${request.path}`);
      const fault = this.#faults.take(found.route.name);
      if (fault && !fault.isAfterwards) return fault.apply(response);
      const answer = await this.#ocs.run(found, { request, session, scene: this.#scene });
      if (fault) fault.apply(response);
      else send(response, { ...answer, headers: { ...answer.headers, 'Set-Cookie': [...setCookies] } });
    } catch (error) {
      send(response, this.#refusal(request, error));
    }
  }

  #refusal({ method, path }: NcRequest, error: unknown): NcAnswer {
    const isKnown = error instanceof OcsError || error instanceof PlainError;
    if (!isKnown || error.isMistake) this.mistakes.push(`${method} ${path}: ${(error as Error).message}`);
    return isKnown ? error.answer : ocsAnswer(500, [], { message: `${error}` });
  }
}

const MAINTENANCE = ocsAnswer(503, [], {
  message: 'Service unavailable',
  headers: { 'X-Nextcloud-Maintenance-Mode': '1' },
});
