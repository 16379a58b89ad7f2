/**
 * Child process: Discord, its voice servers, and people who speak and listen by telephones of the generator. Takes orders
 * and answers by IPC (see `orders.ts`), one after the other; ends with its parent.
 */
import { FakeDiscord } from '../../../test/fakes/discord/fake-discord.ts';
import type { FakePerson } from '../../../test/fakes/discord/fake-person.ts';
import { FakeVoice } from '../../../test/fakes/discord/voice/fake-voice.ts';
import type { FarEndsAnswer, FarEndsOrder, LeanBot, LeanChannel } from './orders.ts';
import { TelephonePerson } from './telephone-person.ts';

/** Far from those that the voice servers give to bots. */
const FIRST_SSRC = 1_000_000;
/** Discord's is 5 s. */
const IDENTIFY_WINDOW_MS = 100;
/** Calls are placed faster than Discord would let them. */
const NO_LIMIT = { count: 1_000_000, windowMs: 1_000 } as const;

class FarEnds {
  readonly #voice: FakeVoice;
  readonly #discord: FakeDiscord;
  readonly #owner: FakePerson;
  readonly #people: TelephonePerson[] = [];

  private constructor(voice: FakeVoice, discord: FakeDiscord) {
    this.#voice = voice;
    this.#discord = discord;
    this.#owner = discord.addPerson('Owner');
  }

  static async start(): Promise<FarEnds> {
    const voice = await FakeVoice.start();
    const rateLimits = { global: NO_LIMIT, other: NO_LIMIT };
    return new FarEnds(
      voice,
      await FakeDiscord.start({ voice, identifyWindowMs: IDENTIFY_WINDOW_MS, rateLimits }),
    );
  }

  async answer(order: FarEndsOrder): Promise<FarEndsAnswer> {
    switch (order.type) {
      case 'start':
        return { type: 'start', url: this.#discord.url, caFile: this.#voice.caFile };
      case 'bot':
        return { type: 'bot', ...this.#addBot() };
      case 'channel':
        return { type: 'channel', ...(await this.#openChannel(order.botId, order.phonePort)) };
      case 'begin':
        for (const person of this.#people) person.undecryptable = 0;
        return { type: 'begin' };
      case 'end':
        return {
          type: 'end',
          undecryptable: this.#people.reduce((sum, { undecryptable }) => sum + undecryptable, 0),
        };
    }
  }

  #addBot(): LeanBot {
    const { id: botId, token, applicationId } = this.#discord.addBot({ granted: ['messageContent'] });
    return { botId, token, applicationId };
  }

  async #openChannel(botId: string, phonePort: number): Promise<LeanChannel> {
    const discord = this.#discord;
    const number = this.#people.length;
    const guild = discord.addGuild(`Server ${number}`, this.#owner);
    discord.install(discord.world.bots.get(botId)!, guild);
    const channel = discord.addVoiceChannel(guild, 'Voice');
    const person = discord.addPerson(`Person ${number}`);
    person.joins(guild);
    person.joinsVoice(channel);
    const call = this.#voice.call(channel.id);
    const speaker = await TelephonePerson.enter(call, {
      userId: person.id,
      ssrc: FIRST_SSRC + number,
      phonePort,
    });
    this.#people.push(speaker);
    return { guildId: guild.id, channelId: channel.id, port: speaker.port };
  }
}

const ends = await FarEnds.start();
process.on('message', async (order: FarEndsOrder) => process.send?.(await ends.answer(order)));
process.on('disconnect', () => process.exit());
