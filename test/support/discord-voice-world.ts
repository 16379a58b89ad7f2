import { fileURLToPath } from 'node:url';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import { FakeDiscord } from '../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../fakes/discord/fake-person.ts';
import { FakeVoice, type FakeVoiceOptions } from '../fakes/discord/voice/fake-voice.ts';
import type { Person } from '../fakes/discord/voice/person.ts';
import type { FakeChannel } from '../fakes/discord/world/channel.ts';
import type { FakeGuild } from '../fakes/discord/world/guild.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import type { GatewayApi } from './gateway-api.ts';
import { waitFor } from './wait-for.ts';

const FAULTS = fileURLToPath(new URL('./thread-faults.mjs', import.meta.url));

/** Discord's is 5 s. */
const IDENTIFY_WINDOW_MS = 100;

export interface VoiceWorldOptions {
  readonly gateway?: GatewayOptions;
  readonly voice?: FakeVoiceOptions;
  /** A bot that all accounts share. */
  readonly hasSharedBot?: boolean;
}

/** Discord with voice servers, and a gateway process that uses them. */
export class DiscordVoiceWorld {
  readonly discord: FakeDiscord;
  readonly voice: FakeVoice;
  readonly gateway: Gateway;
  /** Null: there is none. */
  readonly sharedBot: FakeBot | null;
  readonly #owner: FakePerson;

  private constructor(discord: FakeDiscord, voice: FakeVoice, gateway: Gateway, sharedBot: FakeBot | null) {
    this.sharedBot = sharedBot;
    this.discord = discord;
    this.voice = voice;
    this.gateway = gateway;
    this.#owner = discord.addPerson('Owner');
  }

  static async start(options: VoiceWorldOptions = {}): Promise<DiscordVoiceWorld> {
    const voice = await FakeVoice.start(options.voice);
    const discord = await FakeDiscord.start({ voice, identifyWindowMs: IDENTIFY_WINDOW_MS });
    const sharedBot = options.hasSharedBot ? addBot(discord, 'shared-attendant') : null;
    const { env, ...others } = options.gateway ?? {};
    const gateway = await Gateway.start({
      ...others,
      env: {
        SVC_DISCORD_API_URL: `${discord.url}/api`,
        SVC_DISCORD_CDN_URL: discord.url,
        NODE_EXTRA_CA_CERTS: voice.caFile,
        NODE_OPTIONS: `--import=${FAULTS}`,
        ...(sharedBot === null
          ? {}
          : { SVC_DISCORD_BOT_TOKEN: sharedBot.token, SVC_DISCORD_APPLICATION_ID: sharedBot.applicationId }),
        ...env,
      },
    });
    if (sharedBot !== null) {
      gateway.secrets.add(sharedBot.token);
      await waitFor('the shared session', () => discord.gateway.sessionsOf(sharedBot).length > 0);
    }
    return new DiscordVoiceWorld(discord, voice, gateway, sharedBot);
  }

  /** Makes a bot and registers it at the gateway, for the default agent of an account. */
  async bot(
    username: string,
    settings: Pick<GatewayApi, 'post'> = this.gateway.settingsApi,
  ): Promise<FakeBot> {
    const bot = addBot(this.discord, username);
    await this.register(bot, settings);
    return bot;
  }

  /** Links a new person to an account over the shared bot, by a one-time code. */
  async link(name: string, api: Pick<GatewayApi, 'post'>): Promise<FakePerson> {
    const person = this.discord.addPerson(name);
    person.installs(this.sharedBot!);
    const { body } = await api.post('/api/discord/connect', {});
    person.writes(this.sharedBot!, body.code);
    await waitFor('the connection', () => person.received(this.sharedBot!).length > 0);
    return person;
  }

  async register(bot: FakeBot, settings: Pick<GatewayApi, 'post'>): Promise<void> {
    this.gateway.secrets.add(bot.token);
    const request = { platform: 'discord', bot_token: bot.token, discord_app_id: bot.applicationId };
    const { status, body } = await settings.post('/api/bot-tokens', request);
    if (body.status !== 'ok') throw new Error(`POST bot-tokens: ${status} ${JSON.stringify(body)}`);
  }

  /** A server with a voice channel and the bot. */
  room(bot: FakeBot, userLimit = 0): VoiceRoom {
    const guild = this.discord.addGuild('Harbour', this.#owner);
    this.discord.install(bot, guild);
    const channel = this.discord.addVoiceChannel(guild, 'Bridge');
    this.discord.moderator.limitsUsers(channel, userLimit);
    return new VoiceRoom(this, { guild, channel, bot });
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.voice.stop();
    await this.discord.stop();
  }
}

function addBot(discord: FakeDiscord, username: string): FakeBot {
  return discord.addBot({ username, granted: ['messageContent'] });
}

/** A person in a voice channel: what Discord knows of them, and their client. */
export interface VoicePerson {
  readonly person: FakePerson;
  readonly client: Person;
}

/** A voice channel in a server of its own. */
export class VoiceRoom {
  readonly guild: FakeGuild;
  readonly bot: FakeBot;
  channel: FakeChannel;
  readonly #world: DiscordVoiceWorld;

  constructor(
    world: DiscordVoiceWorld,
    { guild, channel, bot }: { guild: FakeGuild; channel: FakeChannel; bot: FakeBot },
  ) {
    this.#world = world;
    this.guild = guild;
    this.channel = channel;
    this.bot = bot;
  }

  get url(): string {
    return `https://discord.com/channels/${this.guild.id}/${this.channel.id}`;
  }

  /** Where the bot is, as Discord knows it; null: nowhere. */
  get botChannelId(): string | null {
    return this.guild.voiceStates.get(this.bot.id)?.channelId ?? null;
  }

  get session() {
    return this.#world.voice.session(this.bot.id, this.guild.id);
  }

  enter(name: string): VoicePerson {
    const person = this.#world.discord.addPerson(name);
    person.joins(this.guild);
    return this.return(person, name);
  }

  /** Somebody who is a member comes into the channel. */
  return(person: FakePerson, name: string): VoicePerson {
    person.joinsVoice(this.channel);
    return { person, client: this.#world.voice.addPerson(this.channel.id, person.id, name) };
  }

  leave({ person }: VoicePerson): void {
    this.#world.voice.removePerson(this.channel.id, person.id);
    person.leavesVoice(this.guild);
  }

  /** The same channel, with another bot of the server. */
  with(bot: FakeBot): VoiceRoom {
    this.#world.discord.install(bot, this.guild);
    return new VoiceRoom(this.#world, { guild: this.guild, channel: this.channel, bot });
  }

  /** Places a call and waits until it is active. Returns the Call. `login_id`: of one of several bots. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
  async call(fields: { readonly login_id?: string } = {}): Promise<any> {
    const api = this.#world.gateway.agentApi;
    const request = { platform: 'discord', meeting_url: this.url, ...fields };
    const { status, body } = await api.post('/api/call', request);
    if (status !== 200) throw new Error(`POST call: ${status} ${JSON.stringify(body)}`);
    await waitFor('the call to be active', async () => {
      const { body: call } = await api.get(`/api/call/${body.call_id}`);
      if (call.termination) throw new Error(JSON.stringify(call.termination));
      return call.state === 'active';
    });
    return body;
  }
}
