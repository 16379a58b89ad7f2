import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from '../../faults.ts';
import { answerJson } from '../../json-answer.ts';
import type { FakeBot } from '../fake-bot.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { answerThrottled, type Refusal } from '../refusal.ts';
import type { World } from '../world/world.ts';
import { APPLICATION_ROUTES } from './application-routes.ts';
import { DiscordError, REFUSALS } from './discord-error.ts';
import { checked } from './form-check.ts';
import { GUILD_ROUTES } from './guild-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { Nonces } from './nonces.ts';
import type { RateLimits } from './rate-limits.ts';
import { parseBody, readBytes } from './request-body.ts';
import type { RestCall, Route } from './route.ts';
import { matchRoute } from './route-match.ts';

/** `DiscordBot ($url, $version)`: https://docs.discord.com/developers/reference#user-agent */
const USER_AGENT = /^DiscordBot \(https?:\/\/[^ ]+, [^ ]+\)/;

export interface RestDeps {
  readonly world: World;
  readonly gateway: Gateway;
  readonly faults: Faults<Refusal>;
  readonly limits: RateLimits;
  readonly takesAnyUserAgent: boolean;
  readonly mistakes: string[];
  /** Everything that was asked. */
  readonly seen: SeenRequest[];
}

/** A request of a bot as it was received, whatever its result. */
export interface SeenRequest {
  readonly route: string;
  readonly ids: readonly string[];
  readonly body: unknown;
}

const MAX_SEEN = 10_000;

/** What bots ask over HTTP. */
export class RestApi {
  readonly #deps: RestDeps;
  readonly #routes: readonly Route[] = [
    ...messageRoutes(new Nonces()),
    ...APPLICATION_ROUTES,
    ...GUILD_ROUTES,
  ];

  constructor(deps: RestDeps) {
    this.#deps = deps;
  }

  /** `path`: below `/api/v10`. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const bytes = await readBytes(request);
    const bot = this.#authenticated(request);
    const { route, ids } = matchRoute(this.#routes, request.method ?? '', path);
    const allowance = this.#deps.limits.count(bot.id, route.name, ids[0] ?? '');
    for (const [name, value] of Object.entries(allowance.headers)) response.setHeader(name, value);
    if (allowance.isExceeded) return answerThrottled(response, allowance.resetAfterS, allowance.scope);
    const call = await this.#read(request, { route, ids, bytes, query, bot });
    const fault = this.#deps.faults.take(route.name);
    if (fault && !fault.isAfterwards) return fault.apply(response);
    const result = route.handle(call);
    if (fault) fault.apply(response);
    else if (result === null) response.writeHead(204).end();
    else answerJson(response, 200, result);
  }

  #authenticated({ headers }: IncomingMessage): FakeBot {
    const isNamed = this.#deps.takesAnyUserAgent || USER_AGENT.test(headers['user-agent'] ?? '');
    if (!isNamed) throw REFUSALS.userAgent();
    const token = /^Bot (.+)$/.exec(headers.authorization ?? '')?.[1];
    const bot = this.#deps.gateway.botOf(token ?? '');
    if (!bot) throw REFUSALS.unauthorized();
    return bot;
  }

  async #read(request: IncomingMessage, asked: Asked): Promise<RestCall<unknown, unknown>> {
    const { world, gateway, seen } = this.#deps;
    const { route, ids, bot, query } = asked;
    const { json, files } = await parseBody(request.headers['content-type'] ?? '', asked.bytes);
    seen.push({ route: route.name, ids, body: json });
    if (seen.length > MAX_SEEN) seen.shift();
    const unknown = (field: string) => void this.#deps.mistakes.push(`${route.name}: unknown field ${field}`);
    if (!route.body && json !== undefined && Object.keys(json ?? {}).length > 0) unknown('(a body)');
    if (!route.query && query.size > 0) unknown(`?${query}`);
    const body = route.body ? checked(route.body, json ?? {}, unknown) : null;
    const asks = route.query ? checked(route.query, Object.fromEntries(query), unknown) : null;
    return { world, gateway, bot, ids, body, query: asks, files };
  }
}

interface Asked {
  readonly route: Route;
  readonly ids: readonly string[];
  readonly bytes: Buffer;
  readonly query: URLSearchParams;
  readonly bot: FakeBot;
}

export function answerError(response: ServerResponse, error: unknown): void {
  if (!(error instanceof DiscordError)) throw error;
  if (error.retryAfterS !== null) response.setHeader('Retry-After', Math.ceil(error.retryAfterS));
  answerJson(response, error.status, error.body);
}
