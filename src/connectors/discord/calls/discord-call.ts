import type { Clock } from '../../../base/time.ts';
import type { SendsChat } from '../../contract/call-leg.ts';
import type { Bridges } from '../../contract/transport.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import type { ChannelAddress } from './channel-url.ts';

/** What a call consists of before it begins. */
export interface DiscordCall {
  readonly signaling: VoiceSignaling;
  readonly bridges: Bridges;
  readonly clock: Clock;
  readonly address: ChannelAddress;
  /** Who must be allowed to enter besides the bot: one of these people. Null: nobody. */
  readonly people: (() => Promise<readonly string[]>) | null;
  readonly checkText: SendsChat['checkText'];
}
