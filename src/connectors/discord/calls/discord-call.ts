import type { Clock } from '../../../base/time.ts';
import type { Bridges } from '../../../media/transport.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import type { ChannelAddress } from './channel-url.ts';
import type { ChatRules } from './voice-chat.ts';

/** Why a bot cannot enter: Discord lets it be in one channel of each server. */
export const PLACE_TAKEN = 'The bot is already in a voice channel of this server';

/** What a call consists of before it begins. */
export interface DiscordCall {
  readonly signaling: VoiceSignaling;
  readonly bridges: Bridges;
  readonly clock: Clock;
  readonly address: ChannelAddress;
  /** Who must be allowed to enter besides the bot: one of these people. Null: nobody. */
  readonly people: (() => Promise<readonly string[]>) | null;
  /** Takes the bot's place in the server, until the leg is released. False: another call has it. */
  readonly claim: () => boolean;
  readonly chat: ChatRules;
}
