import { type Address, directAddress, type LoginRef } from '../../../base/address.ts';
import type { DiscordRecords, KnownChannel } from '../discord-records.ts';

/** The channels in which a bot has conversations, in memory as on disk. */
export class KnownChannels {
  readonly #records: Pick<DiscordRecords, 'channels' | 'putChannel'>;
  readonly #loginKey: string;
  readonly #byId = new Map<string, KnownChannel>();
  readonly #ofPeople = new Map<string, string>();
  /** Guilds of the channels where the bot listens, by channel. */
  readonly #listening = new Map<string, string | null>();

  constructor(records: Pick<DiscordRecords, 'channels' | 'putChannel'>, loginKey: string) {
    this.#records = records;
    this.#loginKey = loginKey;
  }

  /** Reads them from disk. Call it first. */
  async load(): Promise<void> {
    this.#byId.clear();
    this.#ofPeople.clear();
    this.#listening.clear();
    for (const each of await this.#records.channels(this.#loginKey)) this.#keep(each);
  }

  find(channelId: string): KnownChannel | null {
    return this.#byId.get(channelId) ?? null;
  }

  /** Returns the channel of direct messages with a person. */
  ofPerson(personId: string): string | null {
    return this.#ofPeople.get(personId) ?? null;
  }

  /** Whether the bot listens anywhere in a guild. */
  listensIn(guildId: string): boolean {
    return [...this.#listening.values()].includes(guildId);
  }

  inGuild(guildId: string): KnownChannel[] {
    return [...this.#byId.values()].filter((each) => each.guildId === guildId);
  }

  /** Returns all, those with the newest messages first. */
  newestFirst(): KnownChannel[] {
    return [...this.#byId.values()].sort((a, b) => compareSnowflakes(b.lastMessageId, a.lastMessageId));
  }

  async put(channel: KnownChannel): Promise<void> {
    await this.#records.putChannel(this.#loginKey, channel);
    this.#keep(channel);
  }

  /** Notes that a message was handled, and what the channel is if that was unknown. */
  async handled(
    messageId: string,
    place: Omit<KnownChannel, 'lastMessageId' | 'isListening'>,
  ): Promise<void> {
    const known = this.find(place.channelId);
    if (known !== null && compareSnowflakes(known.lastMessageId, messageId) >= 0) return;
    await this.put({ ...place, isListening: known?.isListening ?? false, lastMessageId: messageId });
  }

  #keep(channel: KnownChannel): void {
    this.#byId.set(channel.channelId, channel);
    if (channel.isListening) this.#listening.set(channel.channelId, channel.guildId);
    else this.#listening.delete(channel.channelId);
    if (channel.personId !== null) this.#ofPeople.set(channel.personId, channel.channelId);
  }
}

/** Returns the address of a channel's conversation. */
export function addressOf(
  login: LoginRef,
  { channelId, personId, parentId }: Pick<KnownChannel, 'channelId' | 'personId' | 'parentId'>,
): Address {
  if (personId !== null) return directAddress(login, personId);
  const space = { kind: 'channel', id: parentId ?? channelId } as const;
  return { login, space, thread: parentId === null ? null : channelId, person: null };
}

/** Compares two snowflakes by age: negative if `a` is the older one. */
export function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
