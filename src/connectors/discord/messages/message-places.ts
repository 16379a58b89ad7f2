import { LimitedMap } from '../../../base/limited-map.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';
import type { KnownChannel } from '../discord-records.ts';
import { type Message, personName } from '../objects.ts';
import type { KnownChannels } from './known-channels.ts';
import { mentions } from './message-content.ts';

const MAX_CHANNELS = 10_000;
const MAX_GUILDS = 1_000;
/** Discord's channel types of threads: announcement, public, private. */
const THREAD_TYPES: ReadonlySet<number> = new Set([10, 11, 12]);

interface ChannelFacts {
  readonly name: string | null;
  /** The channel of a thread; null outside threads. */
  readonly parentId: string | null;
}

/** Where a message belongs. */
export interface MessagePlace extends Omit<KnownChannel, 'lastMessageId' | 'isListening'> {
  /** Name of the conversation: of the person, or of the channel. */
  readonly name: string | null;
  /** Whether the bot is addressed: always in direct messages. */
  readonly isAddressed: boolean;
  /** The role of the bot's own that is mentioned; null: none. */
  readonly ownRoleId: string | null;
}

/**
 * Decides which messages a bot hears: direct ones, those that mention it, and all where it listens. What Discord says of a
 * channel is asked for when first needed.
 */
export class MessagePlaces {
  readonly #channels: KnownChannels;
  readonly #rest: Pick<DiscordRest, 'channel' | 'guild'>;
  readonly #facts = new LimitedMap<ChannelFacts>(MAX_CHANNELS);
  /** The roles that Discord has made for bots, by server: the bot's user by the role. */
  readonly #botRoles = new LimitedMap<ReadonlyMap<string, string>>(MAX_GUILDS);

  constructor(channels: KnownChannels, rest: Pick<DiscordRest, 'channel' | 'guild'>) {
    this.#channels = channels;
    this.#rest = rest;
  }

  /** The channel was changed or deleted. */
  changed(channelId: string): void {
    this.#facts.delete(channelId);
  }

  /** Null: the message is not for the bot. Rejects with a PlatformFailure when Discord cannot be asked now. */
  async placeOf(message: Message, botUserId: string, signal: AbortSignal): Promise<MessagePlace | null> {
    const { channel_id: channelId, author } = message;
    // Messages of the history do not name their guild.
    const guildId = message.guild_id ?? this.#channels.find(channelId)?.guildId ?? null;
    if (guildId === null) {
      const direct = { channelId, guildId, parentId: null, personId: author.id };
      return { ...direct, name: personName(author), isAddressed: true, ownRoleId: null };
    }
    const ownRoleId = await this.#ownRole(message, guildId, botUserId, signal);
    const isAddressed = ownRoleId !== null || mentions(message, botUserId);
    if (!isAddressed && !(await this.#isListening(channelId, guildId, signal))) return null;
    const { parentId, name } = await this.#factsOf(channelId, signal);
    const shown = parentId === null ? name : (await this.#factsOf(parentId, signal)).name;
    return { channelId, guildId, parentId, personId: null, name: shown, isAddressed, ownRoleId };
  }

  /** Every bot has a role that is named like it, so people mention one for the other. */
  async #ownRole(
    { mention_roles: roleIds = [] }: Message,
    guildId: string,
    botUserId: string,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (roleIds.length === 0) return null;
    let botRoles = this.#botRoles.get(guildId);
    if (!botRoles || roleIds.some((id) => !botRoles!.has(id))) {
      const { roles } = await this.#rest.guild(guildId, signal);
      botRoles = new Map(roles.map(({ id, tags }) => [id, tags?.bot_id ?? '']));
      this.#botRoles.set(guildId, botRoles);
    }
    return roleIds.find((id) => botRoles.get(id) === botUserId) ?? null;
  }

  async #isListening(channelId: string, guildId: string, signal: AbortSignal): Promise<boolean> {
    if (this.#channels.find(channelId)?.isListening) return true;
    // It may be a thread of a channel where the bot listens.
    if (!this.#channels.listensIn(guildId)) return false;
    const { parentId } = await this.#factsOf(channelId, signal);
    return parentId !== null && (this.#channels.find(parentId)?.isListening ?? false);
  }

  async #factsOf(channelId: string, signal: AbortSignal): Promise<ChannelFacts> {
    const known = this.#facts.get(channelId);
    if (known) return known;
    try {
      const { type, name, parent_id: parentId } = await this.#rest.channel(channelId, signal);
      const facts = { name: name ?? null, parentId: THREAD_TYPES.has(type) ? (parentId ?? null) : null };
      this.#facts.set(channelId, facts);
      return facts;
    } catch (error) {
      // A channel that the bot can read but not look up has no name.
      if (error instanceof PlatformFailure && error.kind === 'refused' && !error.isLoggedOut)
        return { name: null, parentId: null };
      throw error;
    }
  }
}
