import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChannelType } from 'discord-api-types/v10';
import { Cdn } from './cdn.ts';
import { FakeBot, type PrivilegedIntent } from './fake-bot.ts';
import { FakePerson } from './fake-person.ts';
import { type Fault, Faults } from './faults.ts';
import { Gateway, type GatewayOptions } from './gateway/gateway.ts';
import { REFUSALS } from './rest/discord-error.ts';
import { InvalidRequests } from './rest/invalid-requests.ts';
import { RateLimits, type RateLimitTable, USUAL_LIMITS } from './rest/rate-limits.ts';
import { answerError, RestApi, type SeenRequest } from './rest/rest-api.ts';
import type { VoiceHost } from './voice-host.ts';
import type { FakeChannel, FakeChannelType } from './world/channel.ts';
import type { FakeGuild } from './world/guild.ts';
import { addMember, installBot } from './world/membership.ts';
import { VoiceStates } from './world/voice-states.ts';
import { World } from './world/world.ts';

export interface FakeDiscordOptions extends GatewayOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly nowMs?: () => number;
  /** Where calls are. Without one, the endpoint of every call is null. */
  readonly voice?: VoiceHost;
  /** Limits other than the usual ones. */
  readonly rateLimits?: RateLimitTable;
  /** Takes clients that do not name themselves as Discord demands. */
  readonly takesAnyUserAgent?: boolean;
  /** Refusals in ten minutes after which the address is banned. */
  readonly invalidRequestLimit?: number;
}

export interface BotOptions {
  readonly username?: string;
  readonly owner?: FakePerson;
  /** Privileged intents that are switched on in the portal. */
  readonly granted?: readonly PrivilegedIntent[];
}

const INVALID_REQUEST_LIMIT = 10_000;
const API = '/api/v10';

/** Discord on loopback: REST, gateway and CDN, and the people behind them. As strict as the real one, or stricter. */
export class FakeDiscord {
  readonly world: World;
  readonly gateway: Gateway;
  readonly voice: VoiceStates;
  readonly faults = new Faults();
  readonly invalidRequests: InvalidRequests;
  /** Breaches of the protocol, by clients: `stop` throws when there are any. */
  readonly mistakes: string[] = [];
  /** What bots have asked over HTTP, the last 10,000. */
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #rest: RestApi;

  private constructor(server: Server, options: FakeDiscordOptions) {
    this.#server = server;
    const nowMs = options.nowMs ?? Date.now;
    const cdn = new Cdn(nowMs);
    cdn.baseUrl = this.url;
    this.world = new World(cdn, nowMs);
    this.voice = new VoiceStates(this.world, options.voice ?? null);
    this.gateway = new Gateway(this.world, this.voice, this.mistakes, options);
    this.gateway.listenOn(server, this.url.replace('http', 'ws'));
    this.invalidRequests = new InvalidRequests(options.invalidRequestLimit ?? INVALID_REQUEST_LIMIT, nowMs);
    this.#rest = new RestApi({
      world: this.world,
      gateway: this.gateway,
      faults: this.faults,
      limits: new RateLimits({ ...USUAL_LIMITS, ...options.rateLimits }, nowMs),
      invalidRequests: this.invalidRequests,
      takesAnyUserAgent: options.takesAnyUserAgent ?? false,
      mistakes: this.mistakes,
      seen: this.requests,
    });
    server.on('request', (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.mistakes.push(`the fake: ${(error as Error).stack}`);
        response.destroy();
      });
    });
  }

  static async start(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeDiscord(server, options);
  }

  /** In place of https://discord.com and https://cdn.discordapp.com. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  addPerson(name = 'Ada'): FakePerson {
    const username = `${name.toLowerCase().replaceAll(/\W/g, '')}${this.world.users.size}`;
    const user = this.world.addUser({ username, globalName: name, isBot: false });
    return new FakePerson(user, this.world, this.voice);
  }

  addBot({ username = 'fake-bot', owner = this.addPerson('Owner'), granted = [] }: BotOptions = {}): FakeBot {
    const user = this.world.addUser({ username, globalName: null, isBot: true });
    const bot = new FakeBot(user, user.id, owner.user, granted);
    this.world.bots.set(bot.id, bot);
    return bot;
  }

  /** A guild of `owner` with its bots and people in it. */
  addGuild(name: string, owner: FakePerson): FakeGuild {
    const guild = this.world.addGuild(name, owner.user);
    addMember(this.world, guild, owner.user);
    return guild;
  }

  /** Adds a bot to a guild. `permissions`: those of its own role, beside what everybody may. */
  install(bot: FakeBot, guild: FakeGuild, permissions = 0n): void {
    installBot(this.world, guild, bot, permissions);
  }

  addTextChannel(guild: FakeGuild, name: string): FakeChannel {
    return this.#addChannel(guild, name, ChannelType.GuildText);
  }

  addVoiceChannel(guild: FakeGuild, name: string, userLimit = 0): FakeChannel {
    const channel = this.#addChannel(guild, name, ChannelType.GuildVoice);
    channel.userLimit = userLimit;
    return channel;
  }

  /** What happens to the next requests of a route, one each; null: nothing. */
  fail(route: string, ...faults: readonly (Fault | null)[]): void {
    this.faults.add(route, faults);
  }

  /** Safe to call twice. Throws when clients have made mistakes. */
  async stop(): Promise<void> {
    this.gateway.stop();
    if (this.#server.listening) {
      const closed = once(this.#server, 'close');
      this.#server.close();
      this.#server.closeAllConnections();
      await closed;
    }
    const mistakes = this.mistakes.splice(0);
    if (mistakes.length > 0) throw new Error(`mistakes at Discord:\n${mistakes.join('\n')}`);
  }

  #addChannel(guild: FakeGuild, name: string, type: FakeChannelType): FakeChannel {
    return this.world.addChannel(guild, name, type);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    try {
      if (url.pathname.startsWith('/attachments/')) this.#serveFile(response, url);
      else if (url.pathname.startsWith(`${API}/`))
        await this.#rest.serve(request, response, url.pathname.slice(API.length), url.searchParams);
      else throw REFUSALS.notFound();
    } catch (error) {
      answerError(response, error);
    }
  }

  #serveFile(response: ServerResponse, url: URL): void {
    const file = this.world.cdn.at(url);
    if (!file) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('This content is no longer available.');
      return;
    }
    response.writeHead(200, { 'Content-Type': file.mime, 'Content-Length': file.bytes.length });
    response.end(file.bytes);
  }
}
