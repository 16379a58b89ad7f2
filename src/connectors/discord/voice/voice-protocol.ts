import type { PacketRings } from '../../../media/packet-media.ts';
import type { TransportProtocol } from '../../../media/transport.ts';

/** What a call, on the main thread, and its voice session, on a bridge thread, exchange. */

/** What Discord's gateway tells the bot when it has entered a voice channel. */
export interface VoiceAccess {
  /** Host and port of the voice server. */
  readonly endpoint: string;
  readonly token: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly sessionId: string;
  /** The bot. */
  readonly userId: string;
}

export interface VoiceOpen {
  readonly accountId: string;
  readonly access: VoiceAccess;
  readonly rings: PacketRings;
}

export type VoiceSignal =
  /** Audio can flow. */
  | { readonly type: 'opened' }
  /** Everybody else in the channel, after each change. */
  | { readonly type: 'people'; readonly userIds: readonly string[] }
  /** This RTP stream has the voice of that user from now on. */
  | { readonly type: 'stream'; readonly ssrc: number; readonly userId: string }
  | { readonly type: 'speaking'; readonly userId: string; readonly on: boolean }
  /** The session is over, or could not be opened. `code`: the close code of the voice server; null: there was none. */
  | { readonly type: 'closed'; readonly code: number | null; readonly reason: string };

/** One voice session: a voice server's WebSocket and UDP socket. For another session, another transport is opened. */
export const VOICE_TRANSPORT: TransportProtocol<VoiceOpen, Record<never, never>, VoiceSignal> = {
  kind: 'discord-voice',
  // Encryption keys live in the thread.
  recovery: 'rejoin',
};

/** Payload type of Opus in Discord's RTP. */
export const OPUS_PAYLOAD_TYPE = 120;
