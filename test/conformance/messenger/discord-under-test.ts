import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { DiscordConnector } from '../../../src/connectors/discord/discord-connector.ts';
import type { FakeBot } from '../../fakes/discord/fake-bot.ts';
import { FakeDiscord } from '../../fakes/discord/fake-discord.ts';
import type { RateLimitTable } from '../../fakes/discord/rest/rate-limits.ts';
import { wireUser } from '../../fakes/discord/world/user.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { MemoryRecords } from '../../support/memory-records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DiscordChannel } from './discord-channel-under-test.ts';
import { isNote } from './discord-note.ts';
import { DiscordPerson } from './discord-person-under-test.ts';
import {
  type ChannelUnderTest,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PayloadsUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
} from './messenger-under-test.ts';
import { DISCORD_KINDS, discordMessage } from './payloads/discord-payloads.ts';

/** Above what the suite sends to one person at a time. */
const NO_LIMITS = {
  global: { count: 1_000, windowMs: 1_000 },
  createMessage: { count: 100, windowMs: 1_000 },
  createDm: { count: 100, windowMs: 1_000 },
  getMessages: { count: 1_000, windowMs: 1_000 },
};
const IDENTIFY_WINDOW_MS = 100;

/** A connector to read declarations from. */
function discordConnector(): DiscordConnector {
  return new DiscordConnector(
    { apiUrl: '', cdnUrl: '', shared: null, hearsBots: false },
    {
      clock: systemClock,
      observer: { count: () => undefined, log: () => undefined },
      records: new MemoryRecords(),
      readingTime: new ReadingTime(systemClock),
    },
  );
}

export interface DiscordOptions {
  /** Whose bot it is: the account's, or shared by all. */
  readonly bot: 'own' | 'shared';
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
  /** Default: above what the suite does. */
  readonly rateLimits?: RateLimitTable;
}

/** Discord, with one bot. */
export class DiscordUnderTest implements MessengerUnderTest {
  readonly connector: Connector = discordConnector();
  patienceMs: number;
  readonly textLimit = 2_000;
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly discord: FakeDiscord;
  readonly bot: FakeBot;
  readonly login: LoginUnderTest;
  readonly #isShared: boolean;
  readonly #owner;
  readonly #guild;
  #channel: DiscordChannel | null = null;
  #people = 0;

  private constructor(gateway: Gateway, discord: FakeDiscord, bot: FakeBot, options: DiscordOptions) {
    this.gateway = gateway;
    this.discord = discord;
    this.bot = bot;
    this.patienceMs = options.patienceMs;
    this.#isShared = options.bot === 'shared';
    this.#owner = discord.addPerson('Olga');
    this.#guild = discord.addGuild('Conformance', this.#owner);
    discord.install(bot, this.#guild);
    this.login = new BotLogin(discord, bot);
  }

  static async start(options: DiscordOptions): Promise<DiscordUnderTest> {
    const discord = await FakeDiscord.start({
      rateLimits: options.rateLimits ?? NO_LIMITS,
      identifyWindowMs: IDENTIFY_WINDOW_MS,
    });
    const bot = discord.addBot({ username: 'conformance_bot' });
    const shared = { SVC_DISCORD_BOT_TOKEN: bot.token, SVC_DISCORD_APPLICATION_ID: bot.applicationId };
    const { env, ...others } = options.gateway ?? {};
    const gateway = await Gateway.start({
      ...others,
      env: {
        ...GATEWAY_ENV,
        SVC_DISCORD_API_URL: `${discord.url}/api`,
        SVC_DISCORD_CDN_URL: discord.url,
        ...(options.bot === 'shared' ? shared : {}),
        ...env,
      },
    });
    gateway.secrets.add(bot.token);
    const subject = new DiscordUnderTest(gateway, discord, bot, options);
    await subject.#register();
    return subject;
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const person = this.discord.addPerson(`Person ${this.#people}`);
    person.joins(this.#guild);
    if (this.#isShared) {
      const code = await this.#code();
      person.writes(this.bot, code);
      await waitFor('the connection', () => person.received(this.bot).some(isNote), this.patienceMs);
    }
    return new DiscordPerson(this, person);
  }

  channel(): ChannelUnderTest {
    return this.#channel!;
  }

  forgetsSession(): void {
    for (const session of this.discord.gateway.sessionsOf(this.bot)) this.discord.gateway.end(session);
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      const message = 'Explicit content cannot be sent to the desired recipient(s)';
      this.discord.fail('createMessage', { kind: 'refuse', status: 400, code: 20_009, message });
      return `${message} (20009)`;
    },
    throttle: () => {
      this.discord.fail('createMessage', { kind: 'throttle', retryAfterS: 1 });
      return 1_000;
    },
    loseAnswer: () => this.discord.fail('createMessage', { kind: 'drop', isDone: true }),
    hold: (isDone) =>
      new Promise((reached) => this.discord.fail('createMessage', { kind: 'hang', isDone, reached })),
  };

  readonly payloads: PayloadsUnderTest = {
    kinds: DISCORD_KINDS,
    deliver: ({ remoteId }, payload) => {
      this.#dispatch('MESSAGE_CREATE', discordMessage(this.#newMessage(remoteId), payload));
    },
    overtakes: {
      tellsDeletions: true,
      deliver: ({ remoteId }, text, change) => {
        const message = this.#newMessage(remoteId);
        const edited = { content: change, edited_timestamp: new Date().toISOString() };
        if (change === null)
          this.#dispatch('MESSAGE_DELETE', { id: message.id, channel_id: message.channel_id });
        else this.#dispatch('MESSAGE_UPDATE', discordMessage(message, edited));
        const tell = () => this.#dispatch('MESSAGE_CREATE', discordMessage(message, { content: text }));
        tell();
        return tell;
      },
    },
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.discord.stop();
  }

  #newMessage(remoteId: string) {
    const { world } = this.discord;
    const author = world.users.get(remoteId)!;
    return { id: world.newId(), channel_id: world.dmOf(author, this.bot.user).id, author: wireUser(author) };
  }

  #dispatch(t: string, d: object): void {
    for (const session of this.discord.gateway.sessionsOf(this.bot)) session.dispatch({ t, d } as never);
  }

  async #register(): Promise<void> {
    const text = this.discord.addTextChannel(this.#guild, 'general');
    this.#channel = new DiscordChannel(this.bot, this.#owner, text);
    if (this.#isShared) {
      await waitFor(
        'the session',
        () => this.discord.gateway.sessionsOf(this.bot).length > 0,
        this.patienceMs,
      );
      const code = await this.#code();
      this.#owner.mentions(this.bot, text, code);
      await waitFor('the channel', () => text.messages.some(isNote), this.patienceMs);
      return;
    }
    const { token: bot_token, applicationId: discord_app_id } = this.bot;
    const request = { platform: 'discord', bot_token, discord_app_id };
    const { status, body } = await this.gateway.settingsApi.post('/api/bot-tokens', request);
    if (status !== 200) throw new Error(`POST bot-tokens: ${status} ${JSON.stringify(body)}`);
  }

  async #code(): Promise<string> {
    const { status, body } = await this.gateway.settingsApi.post('/api/discord/connect', {});
    if (status !== 200) throw new Error(`POST connect: ${status} ${JSON.stringify(body)}`);
    return body.code;
  }
}

class BotLogin implements LoginUnderTest {
  readonly recheckMs = 300_000;
  readonly #discord: FakeDiscord;
  readonly #bot: FakeBot;

  constructor(discord: FakeDiscord, bot: FakeBot) {
    this.#discord = discord;
    this.#bot = bot;
  }

  get isDead(): boolean {
    return this.#bot.isRevoked;
  }

  kill(): string {
    this.#bot.isRevoked = true;
    for (const connection of this.#discord.gateway.sockets)
      if (connection.session?.bot === this.#bot) connection.close(4004);
    return '401: Unauthorized';
  }

  revive(): void {
    this.#bot.isRevoked = false;
  }
}
