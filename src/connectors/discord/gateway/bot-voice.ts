import type { DiscordRest } from '../client.ts';
import { OP } from './gateway-payload.ts';
import type { GatewaySession } from './gateway-session.ts';
import type { VoiceFollowers } from './voice-followers.ts';
import type { VoiceListener, VoiceSignaling, VoiceStateRequest } from './voice-signaling.ts';

/** A bot's session, as its calls see it. It exists once Discord has told who the bot is. */
export class BotVoice implements VoiceSignaling {
  readonly botUserId: string;
  readonly rest: DiscordRest;
  readonly #session: GatewaySession;
  readonly #followers: VoiceFollowers;

  constructor(botUserId: string, rest: DiscordRest, session: GatewaySession, followers: VoiceFollowers) {
    this.botUserId = botUserId;
    this.rest = rest;
    this.#session = session;
    this.#followers = followers;
  }

  get isUp(): boolean {
    return this.#session.isUp;
  }

  setVoiceState({ guildId, channelId, selfMute, selfDeaf }: VoiceStateRequest): void {
    const state = { guild_id: guildId, channel_id: channelId, self_mute: selfMute, self_deaf: selfDeaf };
    this.#session.send(OP.voiceStateUpdate, state);
  }

  follow(guildId: string, listener: VoiceListener): () => void {
    return this.#followers.follow(guildId, listener);
  }
}
