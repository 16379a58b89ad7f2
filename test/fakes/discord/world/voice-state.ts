/** A user in a voice channel. */
export interface VoiceState {
  readonly userId: string;
  channelId: string;
  /** Of the connection to voice. */
  readonly sessionId: string;
  isSelfMuted: boolean;
  isSelfDeafened: boolean;
}
