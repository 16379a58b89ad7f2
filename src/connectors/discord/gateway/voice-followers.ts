import type { GatewayVoiceServerUpdateDispatchData, GatewayVoiceState } from 'discord-api-types/v10';
import * as z from 'zod';
import type { DiscordRest } from '../client.ts';
import { Message, Snowflake } from '../objects.ts';
import { ChannelRef, type Dispatch, OP } from './gateway-payload.ts';
import type { GatewaySession } from './gateway-session.ts';
import type { VoiceListener, VoiceSignaling } from './voice-signaling.ts';

/** Only what is relied upon here; the rest is passed on as Discord wrote it. */
const VoiceState = z.looseObject({
  guild_id: Snowflake,
  channel_id: Snowflake.nullable(),
  user_id: Snowflake,
  session_id: z.string(),
});
const VoiceServer = z.looseObject({
  guild_id: Snowflake,
  token: z.string(),
  endpoint: z.string().nullable(),
});

/** Those who follow the voice events of a bot's guilds. */
export class VoiceFollowers {
  readonly #listeners = new Map<string, Set<VoiceListener>>();

  seen({ type, data }: Dispatch): void {
    switch (type) {
      case 'VOICE_STATE_UPDATE': {
        const { data: state } = VoiceState.safeParse(data);
        return this.#tell(state?.guild_id, (each) => each.voiceState(state as unknown as GatewayVoiceState));
      }
      case 'VOICE_SERVER_UPDATE': {
        const { data: update } = VoiceServer.safeParse(data);
        return this.#tell(update?.guild_id, (each) =>
          each.voiceServer(update as GatewayVoiceServerUpdateDispatchData),
        );
      }
      case 'MESSAGE_CREATE': {
        const { data: message } = Message.safeParse(data);
        return this.#tell(message?.guild_id, (each) => each.message(message!));
      }
      case 'CHANNEL_DELETE': {
        const { data: channel } = ChannelRef.safeParse(data);
        return this.#tell(channel?.guild_id, (each) => each.channelDeleted(channel!.id));
      }
      default:
    }
  }

  follow(guildId: string, listener: VoiceListener): () => void {
    const listeners = this.#listeners.get(guildId) ?? new Set();
    this.#listeners.set(guildId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(guildId) === listeners) this.#listeners.delete(guildId);
    };
  }

  /** Whether a call of the bot has this channel's chat now. */
  isInCall(guildId: string, channelId: string): boolean {
    return [...(this.#listeners.get(guildId) ?? [])].some((each) => each.hasChat(channelId));
  }

  #tell(guildId: string | undefined, tell: (listener: VoiceListener) => void): void {
    for (const each of [...(this.#listeners.get(guildId ?? '') ?? [])]) tell(each);
  }
}

/** A bot's session, as its calls see it. It exists once Discord has told who the bot is. */
export function voiceOf(
  botUserId: string,
  rest: DiscordRest,
  session: GatewaySession,
  followers: VoiceFollowers,
): VoiceSignaling {
  return {
    botUserId,
    rest,
    get isUp() {
      return session.isUp;
    },
    setVoiceState: ({ guildId, channelId, selfMute, selfDeaf }) => {
      const state = { guild_id: guildId, channel_id: channelId, self_mute: selfMute, self_deaf: selfDeaf };
      session.send(OP.voiceStateUpdate, state);
    },
    follow: (guildId, listener) => followers.follow(guildId, listener),
  };
}
