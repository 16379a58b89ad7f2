import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ChannelType,
  GatewayDispatchEvents as E,
  GatewayCloseCodes,
  GatewayIntentBits as I,
} from 'discord-api-types/v10';
import { Faults } from '../faults.ts';
import { Cdn } from './cdn.ts';
import { FakeBot, type PrivilegedIntent } from './fake-bot.ts';
import { FakePerson } from './fake-person.ts';
import { Gateway, type GatewayOptions } from './gateway/gateway.ts';
import { HttpFront } from './http-front.ts';
import { Moderator } from './moderator.ts';
import { OAuthServer } from './oauth/oauth-server.ts';
import { answerRefusal, type Fault } from './refusal.ts';
import { InvalidRequests } from './rest/invalid-requests.ts';
import { RateLimits, type RateLimitTable, USUAL_LIMITS } from './rest/rate-limits.ts';
import { RestApi, type SeenRequest } from './rest/rest-api.ts';
import type { VoiceHost } from './voice-host.ts';
import type { FakeChannel, FakeChannelType } from './world/channel.ts';
import type { FakeGuild } from './world/guild.ts';
import { addMember, installBot } from './world/membership.ts';
import { VoiceStates } from './world/voice-states.ts';
import { wireGuildChannel } from './world/wire-channel.ts';
import { World } from './world/world.ts';

export interface FakeDiscordOptions extends GatewayOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** The time at Discord. */
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
  /** Other than the bot's id, as old applications have it. */
  readonly applicationId?: string;
  readonly owner?: FakePerson;
  /** Privileged intents that are switched on in the portal. */
  readonly granted?: readonly PrivilegedIntent[];
}

const INVALID_REQUEST_LIMIT = 10_000;

/** Discord on loopback: REST, gateway and CDN, and the people behind them. As strict as the real one, or stricter. */
export class FakeDiscord {
  readonly world: World;
  readonly gateway: Gateway;
  readonly voice: VoiceStates;
  readonly oauth: OAuthServer;
  readonly moderator: Moderator;
  readonly faults = new Faults(answerRefusal);
  readonly invalidRequests: InvalidRequests;
  /** Breaches of the protocol, by clients: `stop` throws when there are any. */
  readonly mistakes: string[] = [];
  /** What bots have asked over HTTP, the last 10,000. */
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;

  private constructor(server: Server, options: FakeDiscordOptions) {
    this.#server = server;
    const nowMs = options.nowMs ?? Date.now;
    const cdn = new Cdn(this.url, nowMs);
    this.world = new World(cdn, nowMs);
    this.voice = new VoiceStates(this.world, options.voice ?? null);
    this.oauth = new OAuthServer(this.world);
    this.moderator = new Moderator(this.world, this.voice);
    this.gateway = new Gateway(this.world, this.voice, this.mistakes, options);
    this.gateway.listenOn(server, this.url.replace('http', 'ws'));
    this.invalidRequests = new InvalidRequests(options.invalidRequestLimit ?? INVALID_REQUEST_LIMIT, nowMs);
    this.#listen(cdn, options);
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

  addBot(options: BotOptions = {}): FakeBot {
    const { username = 'fake-bot', owner = this.addPerson('Owner'), granted = [] } = options;
    const user = this.world.addUser({ username, globalName: null, isBot: true });
    const bot = new FakeBot(user, options.applicationId ?? user.id, owner.user, granted);
    this.world.bots.set(bot.id, bot);
    return bot;
  }

  /** Somebody who is a bot, but none that tests log in. */
  addForeignBot(username: string): FakePerson {
    const user = this.world.addUser({ username, globalName: null, isBot: true });
    return new FakePerson(user, this.world, this.voice);
  }

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

  addVoiceChannel(guild: FakeGuild, name: string): FakeChannel {
    return this.#addChannel(guild, name, ChannelType.GuildVoice);
  }

  addStageChannel(guild: FakeGuild, name: string): FakeChannel {
    return this.#addChannel(guild, name, ChannelType.GuildStageVoice);
  }

  /** The bot's token is dead: reset in the portal, or found in public. Its connections are closed. */
  revoke(bot: FakeBot): void {
    bot.isRevoked = true;
    this.gateway.faults.close(bot, GatewayCloseCodes.AuthenticationFailed);
    this.gateway.faults.forget(bot);
  }

  /** Takes a revoked token again. */
  restore(bot: FakeBot): void {
    bot.isRevoked = false;
  }

  /** What happens to the next requests of a route, one each; null: nothing. The README lists the names. */
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
    const channel = this.world.addChannel(guild, name, type);
    this.world.announce(({ bot, intents }) =>
      intents & I.Guilds && guild.has(bot.user) ? { t: E.ChannelCreate, d: wireGuildChannel(channel) } : null,
    );
    return channel;
  }

  #listen(cdn: Cdn, options: FakeDiscordOptions): void {
    const { world, gateway, faults, mistakes, invalidRequests, oauth } = this;
    const rest = new RestApi({
      world,
      gateway,
      faults,
      mistakes,
      limits: new RateLimits({ ...USUAL_LIMITS, ...options.rateLimits }, world.nowMs),
      takesAnyUserAgent: options.takesAnyUserAgent ?? false,
      seen: this.requests,
    });
    const front = new HttpFront({ rest, oauth, cdn, faults, invalidRequests });
    this.#server.on('request', (request, response) => {
      front.serve(request, response).catch((error: unknown) => {
        const wasCut = !request.complete;
        if (!wasCut) mistakes.push(`the fake: ${(error as Error).stack}`);
        response.destroy();
      });
    });
  }
}
