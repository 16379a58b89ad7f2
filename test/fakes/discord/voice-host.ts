/** One stay of a user, bot or person, in a voice channel. Ids are snowflakes. */
export interface VoiceSession {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  /** `session_id` of VOICE_STATE_UPDATE. */
  readonly sessionId: string;
  /** `token` of VOICE_SERVER_UPDATE. */
  readonly token: string;
}

/** A voice server, as Discord's main gateway uses it. */
export interface VoiceHost {
  /** `host:port` without a scheme, as in VOICE_SERVER_UPDATE. */
  readonly endpoint: string;
  /**
   * Called before anybody is told the session: the voice gateway takes an Identify with exactly these values. It replaces
   * the user's earlier session in this guild, which a move to another channel or to another server leaves behind.
   */
  expect(session: VoiceSession): void;
  /** The user has left voice, by themselves or not: their connection ends with 4014. Without a session: nothing. */
  left(guildId: string, userId: string): void;
}
