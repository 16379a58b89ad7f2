import type { FakeBot } from '../../fakes/discord/fake-bot.ts';
import type { FakePerson } from '../../fakes/discord/fake-person.ts';
import type { DiscordVoiceWorld, VoicePerson, VoiceRoom } from '../../support/discord-voice-world.ts';
import { type Answer, GatewayApi } from '../../support/gateway-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { AccountUnderTest, FarEnd, OfferedCall } from './calls-under-test.ts';

const RATE_HZ = 48_000;
const REFUSED_CODE = 4_017;
/** Silence is not sent, so a recording may begin with the onset of a tone, to which the encoder has to adapt. */
const SETTLING_SAMPLES = RATE_HZ / 2;

/** Calls are refused with 409 until the bot's session is up again after a restart. */
class PatientApi extends GatewayApi {
  override async post(path: string, body?: object): Promise<Answer> {
    if (path !== '/api/call') return await super.post(path, body);
    return await waitFor('the bot to be online', async () => {
      const answer = await super.post(path, body);
      return answer.status === 409 ? null : answer;
    });
  }
}

/** The voice channels that one account calls, each in a server of its own. */
export class DiscordMeetings implements AccountUnderTest {
  readonly api: GatewayApi;
  readonly agentKey: string;
  readonly #world: DiscordVoiceWorld;
  readonly #bot: FakeBot;
  /** Linked to the account over the shared bot; null: the bot is the account's own. */
  readonly #linked: FakePerson | null;
  readonly #rooms = new Map<string, VoiceRoom>();
  /** Channels that the bot is not let into yet, and those that it has asked for. */
  readonly #held = new Set<string>();
  readonly #asked = new Set<string>();
  /** Servers whose channel the bot has left, or given up. */
  readonly #left = new Set<string>();

  constructor(world: DiscordVoiceWorld, bot: FakeBot, agentKey: string, linked: FakePerson | null) {
    this.#linked = linked;
    this.#world = world;
    this.#bot = bot;
    this.agentKey = agentKey;
    this.api = new PatientApi(world.gateway.baseUrl, agentKey);
    const { voice } = world.discord;
    const mayJoin = voice.mayJoin.bind(voice);
    voice.mayJoin = (user, channel) => {
      if (user !== bot.user) return mayJoin(user, channel);
      this.#asked.add(channel.id);
      return !this.#held.has(channel.id) && mayJoin(user, channel);
    };
    const leave = voice.leave.bind(voice);
    voice.leave = (user, guild) => {
      if (user === bot.user) this.#left.add(guild.id);
      leave(user, guild);
    };
  }

  get offers(): number {
    return this.#asked.size;
  }

  newMeeting(): string {
    const room = this.#world.room(this.#bot);
    this.#linked?.joins(room.guild);
    this.#held.add(room.channel.id);
    this.#rooms.set(room.url, room);
    return room.url;
  }

  async offered(meetingUrl: string, deadlineMs: number): Promise<OfferedCall> {
    const room = this.#rooms.get(meetingUrl)!;
    await waitFor('the bot to ask', () => this.#asked.has(room.channel.id), deadlineMs);
    return new HeldCall(room, {
      isLeft: () => this.#left.has(room.guild.id),
      letIn: () => this.#letIn(room),
      world: this.#world,
    });
  }

  /** Discord answers what the bot has asked, instead of leaving it to ask again. */
  #letIn({ guild, channel }: VoiceRoom): void {
    this.#held.delete(channel.id);
    const { gateway, voice } = this.#world.discord;
    const [session] = gateway.sessionsOf(this.#bot);
    if (session === undefined || this.#left.has(guild.id)) return;
    voice.join(this.#bot.user, channel, { isMuted: false, isDeafened: false }, session.id);
  }

  endAll(): void {
    for (const { guild } of this.#rooms.values()) this.#world.discord.voice.leave(this.#bot.user, guild);
  }
}

interface RoomDeps {
  readonly world: DiscordVoiceWorld;
  /** Whether the bot has left the channel, or given it up. */
  isLeft(): boolean;
  letIn(): void;
}

/** A bot that waits to be let into a channel. */
class HeldCall implements OfferedCall {
  readonly #room: VoiceRoom;
  readonly #deps: RoomDeps;

  constructor(room: VoiceRoom, deps: RoomDeps) {
    this.#room = room;
    this.#deps = deps;
  }

  get isWithdrawn(): boolean {
    return this.#deps.isLeft();
  }

  async answer(): Promise<FarEnd> {
    this.#deps.letIn();
    return new RoomCall(this.#room, this.#deps);
  }

  fail(failure: string): void {
    if (failure === 'not let in') return;
    this.#deps.world.voice.refuse(REFUSED_CODE);
    this.#deps.letIn();
  }
}

/** Ada, in the channel that the bot has entered. */
class RoomCall implements FarEnd {
  readonly sampleRateHz = RATE_HZ;
  readonly #room: VoiceRoom;
  readonly #deps: RoomDeps;
  readonly #ada: VoicePerson;

  constructor(room: VoiceRoom, deps: RoomDeps) {
    this.#room = room;
    this.#deps = deps;
    this.#ada = room.enter('Ada');
  }

  get isOver(): boolean {
    return this.#deps.isLeft();
  }

  speak(toneHz: number): { stop(): void } {
    const { client } = this.#ada;
    client.sing(toneHz);
    return { stop: () => client.stop() };
  }

  async hears(lengthMs: number, deadlineMs: number): Promise<Int16Array> {
    const heard = this.#ada.client.heard(this.#room.bot.id);
    const samples = (lengthMs * RATE_HZ) / 1_000;
    heard.clear();
    const all = samples + SETTLING_SAMPLES;
    await waitFor('audio from the bot', () => heard.samples.length >= all, deadlineMs);
    return heard.samples.subarray(SETTLING_SAMPLES, all);
  }

  /** A voice channel cannot be hung up; it can be deleted. */
  hangUp(): void {
    this.#deps.world.discord.moderator.deletes(this.#room.channel);
  }

  writes(text: string): void {
    this.#ada.person.writes(this.#room.channel, text);
  }

  read(): readonly string[] {
    const { channel, bot } = this.#room;
    return channel.messages.filter(({ author }) => author === bot.user).map(({ content }) => content);
  }

  typingShown(): number {
    return this.#room.channel.typingShown.get(this.#room.bot.id) ?? 0;
  }

  enters(name: string): () => void {
    const person = this.#room.enter(name);
    return () => this.#room.leave(person);
  }
}
