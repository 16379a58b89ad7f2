import { resampled } from '../../../support/speech-signal.ts';
import { readMonoWav, writeWav } from '../../../support/wav.ts';
import type { FakeDiscord } from '../fake-discord.ts';
import type { FakePerson } from '../fake-person.ts';
import type { FakeChannel } from '../world/channel.ts';
import type { FakeVoice } from './fake-voice.ts';
import type { Person } from './person.ts';

const RATE_HZ = 48_000;
const ORDER = /^(?<name>\w+) (?:(?<verb>speaks|heard) (?<file>\S.*)|leaves)$/;

interface Inside {
  readonly person: FakePerson;
  readonly client: Person;
}

interface ConsolePeopleDeps {
  readonly discord: FakeDiscord;
  readonly voice: FakeVoice;
  readonly channel: FakeChannel;
  /** Whom they listen to. */
  readonly botId: string;
  readonly tell: (line: string) => void;
}

/** People in a voice channel who do what lines of text say: `Ben speaks a.wav`, `Ben heard b.wav`, `Ben leaves`. */
export class ConsolePeople {
  readonly #deps: ConsolePeopleDeps;
  readonly #inside = new Map<string, Inside>();

  constructor(deps: ConsolePeopleDeps) {
    this.#deps = deps;
  }

  /** Whoever is named comes in first. Returns false when the line is none of theirs. */
  take(line: string): boolean {
    const { name, verb, file } = ORDER.exec(line)?.groups ?? {};
    if (name === undefined) return false;
    try {
      if (file === undefined) this.#leave(name);
      else if (verb === 'speaks') this.#speak(name, file);
      else this.#write(name, file);
    } catch (error) {
      this.#deps.tell((error as Error).message);
    }
    return true;
  }

  #speak(name: string, path: string): void {
    const { sampleRateHz, samples } = readMonoWav(path);
    const voice = resampled(samples, sampleRateHz, RATE_HZ);
    const { client } = this.#inside.get(name) ?? this.#enter(name);
    void client.say(voice).then(() => this.#deps.tell(`${name} has finished`));
  }

  /** The last minute of what the bot said. */
  #write(name: string, path: string): void {
    const { client } = this.#inside.get(name) ?? this.#enter(name);
    const { samples } = client.heard(this.#deps.botId);
    writeWav(path, { sampleRateHz: RATE_HZ, channels: [samples] });
    this.#deps.tell(`${(samples.length / RATE_HZ).toFixed(1)} s in ${path}`);
  }

  #enter(name: string): Inside {
    const { discord, voice, channel } = this.#deps;
    const person = discord.addPerson(name);
    person.joins(discord.world.guildOf(channel)!);
    person.joinsVoice(channel);
    const inside = { person, client: voice.addPerson(channel.id, person.id, name) };
    this.#inside.set(name, inside);
    return inside;
  }

  #leave(name: string): void {
    const { discord, channel } = this.#deps;
    this.#inside.get(name)?.person.leavesVoice(discord.world.guildOf(channel)!);
    this.#inside.delete(name);
  }
}
