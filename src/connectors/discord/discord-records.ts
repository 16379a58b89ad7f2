import type { PlatformRecords } from '../contract/records.ts';

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
export class DiscordRecords {
  readonly #records: PlatformRecords;

  constructor(records: PlatformRecords) {
    this.#records = records;
  }

  /** Deletes what is kept if the login was another bot's. Call it first. */
  async claim(loginKey: string, botUserId: string): Promise<void> {
    const former = await this.#records.find(loginKey, 'user');
    if (former !== null && former !== botUserId) await this.#records.delete(loginKey);
    await this.#records.put({ loginKey, kind: 'user', value: botUserId });
  }

  async session(loginKey: string): Promise<StoredSession | null> {
    return (await this.#records.find(loginKey, 'session')) as StoredSession | null;
  }

  /** Null deletes it. */
  async putSession(loginKey: string, session: StoredSession | null): Promise<void> {
    if (session === null) await this.#records.delete(loginKey, 'session');
    else await this.#records.put({ loginKey, kind: 'session', value: session });
  }

  async channels(loginKey: string): Promise<readonly KnownChannel[]> {
    return (await this.#records.list(loginKey, 'channel')) as KnownChannel[];
  }

  /** Adds or replaces a channel. */
  async putChannel(loginKey: string, channel: KnownChannel): Promise<void> {
    await this.#records.put({ loginKey, kind: 'channel', key: channel.channelId, value: channel });
  }
}
