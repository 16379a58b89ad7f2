import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { KnownChannel } from '../discord-records.ts';
import { type Message, personName } from '../objects.ts';
import type { ChannelDirectory, ChannelFacts } from './channel-directory.ts';
import type { KnownChannels } from './known-channels.ts';
import { mentions } from './message-content.ts';

/** Where a message belongs. */
export interface MessagePlace extends Omit<KnownChannel, 'lastMessageId' | 'isListening'> {
  /** Name of the conversation: of the person, or of the channel. */
  readonly name: string | null;
  /** Whether the bot is addressed: always in direct messages. */
  readonly isAddressed: boolean;
}

/** Decides which messages a bot hears: direct ones, those that mention it, and all where it listens. */
export class MessagePlaces {
  readonly #channels: KnownChannels;
  readonly #directory: ChannelDirectory;

  constructor(channels: KnownChannels, directory: ChannelDirectory) {
    this.#channels = channels;
    this.#directory = directory;
  }

  /** Null: the message is not for the bot. Rejects with a PlatformFailure when Discord cannot be asked now. */
  async placeOf(message: Message, botUserId: string, signal: AbortSignal): Promise<MessagePlace | null> {
    const { channel_id: channelId, author } = message;
    // Messages of the history do not name their guild.
    const guildId = message.guild_id ?? this.#channels.find(channelId)?.guildId ?? null;
    if (guildId === null) {
      const direct = { channelId, guildId, parentId: null, personId: author.id };
      return { ...direct, name: personName(author), isAddressed: true };
    }
    const isAddressed = mentions(message, botUserId);
    if (!isAddressed && !(await this.#isListening(channelId, guildId, signal))) return null;
    const { parentId, name } = await this.#facts(channelId, signal);
    const shown = parentId === null ? name : (await this.#facts(parentId, signal)).name;
    return { channelId, guildId, parentId, personId: null, name: shown, isAddressed };
  }

  async #isListening(channelId: string, guildId: string, signal: AbortSignal): Promise<boolean> {
    if (this.#channels.find(channelId)?.isListening) return true;
    // It may be a thread of a channel where the bot listens.
    if (!this.#channels.listensIn(guildId)) return false;
    const { parentId } = await this.#facts(channelId, signal);
    return parentId !== null && (this.#channels.find(parentId)?.isListening ?? false);
  }

  async #facts(channelId: string, signal: AbortSignal): Promise<ChannelFacts> {
    try {
      return await this.#directory.facts(channelId, signal);
    } catch (error) {
      // A channel that the bot can read but not look up has no name.
      if (error instanceof PlatformFailure && error.kind === 'refused' && !error.isLoggedOut)
        return { name: null, parentId: null };
      throw error;
    }
  }
}
