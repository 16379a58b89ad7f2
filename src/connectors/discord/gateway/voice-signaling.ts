import type { GatewayVoiceServerUpdateDispatchData, GatewayVoiceState } from 'discord-api-types/v10';
import type * as z from 'zod';
import type { OutboundMessage, SendOutcome } from '../../contract/messenger.ts';
import type { Message } from '../objects.ts';

/** What calls need of a bot's gateway session. */
export interface VoiceSignaling {
  readonly botUserId: string;
  /** Whether the session is up. */
  readonly isUp: boolean;
  /** Asks Discord to move the bot to a voice channel (op 4). `channelId: null` leaves. Ignored while the session is down. */
  setVoiceState(state: VoiceStateRequest): void;
  /** Follows voice events of a guild until the returned function is called. */
  follow(guildId: string, listener: VoiceListener): () => void;
  readonly rest: VoiceRest;
}

interface VoiceStateRequest {
  readonly guildId: string;
  readonly channelId: string | null;
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/**
 * Hears what happens in a guild while a call is there. Events may be missed while the session is down; the voice session does
 * not depend on it, and the gateway's is resumed.
 */
export interface VoiceListener {
  /** Someone, possibly the bot, has entered, left or moved, or changed their voice state. */
  voiceState(state: GatewayVoiceState): void;
  /** Where the bot's voice connection is. `endpoint` null: the server is gone, and another one follows. */
  voiceServer(update: GatewayVoiceServerUpdateDispatchData): void;
  /** Whether the call has the chat of this channel now. */
  hasChat(channelId: string): boolean;
  /** Somebody has written in the guild. The bot's own messages are included, and so are those of other bots. */
  message(message: Message): void;
  channelDeleted(channelId: string): void;
}

/**
 * The REST calls that calls make. Each settles before `signal` aborts, and rejects with a PlatformFailure.
 */
export interface VoiceRest {
  /** Returns what Discord has at a path of its API, as parsed by `schema`. */
  get<Schema extends z.ZodType>(
    schema: Schema,
    path: `/${string}`,
    signal: AbortSignal,
  ): Promise<z.output<Schema>>;
  /** Sends a message to the text chat of a channel. Discord's refusals are outcomes. */
  sendMessage(
    channelId: string,
    message: Pick<OutboundMessage, 'messageId' | 'text' | 'attachments'>,
    signal: AbortSignal,
  ): Promise<SendOutcome>;
  showTyping(channelId: string, signal: AbortSignal): Promise<void>;
  /** Returns the name that a member of a guild shows there: the nickname, the display name or the user name. */
  memberName(guildId: string, userId: string, signal: AbortSignal): Promise<string>;
}
