/** A bot's session at Discord's gateway, with which the next process continues. */
export interface StoredSession {
  readonly sessionId: string;
  /** The last event that was handled. */
  readonly sequence: number;
  readonly resumeUrl: string;
}

/** A channel, thread or channel of direct messages in which a bot has been addressed. */
export interface KnownChannel {
  readonly channelId: string;
  /** Null: direct messages. */
  readonly guildId: string | null;
  /** The other side of direct messages; null: a channel or thread. */
  readonly personId: string | null;
  /** The channel of a thread; null outside threads. */
  readonly parentId: string | null;
  /** Whether the bot reads everything here, and in the channel's threads. */
  readonly isListening: boolean;
  /** The newest message that was handled. */
  readonly lastMessageId: string;
}

/** What is kept of a login between two runs. A change is on disk once its promise settles. */
export interface DiscordRecords {
  /** Deletes what is kept if the login was another bot's. Call it first. */
  claim(loginKey: string, botUserId: string): Promise<void>;
  session(loginKey: string): Promise<StoredSession | null>;
  /** Null deletes it. */
  putSession(loginKey: string, session: StoredSession | null): Promise<void>;
  channels(loginKey: string): Promise<readonly KnownChannel[]>;
  /** Adds or replaces a channel. */
  putChannel(loginKey: string, channel: KnownChannel): Promise<void>;
  /** Deletes everything of a login. */
  forget(loginKey: string): Promise<void>;
}
