import { KeyedQueue } from '../../../base/keyed-queue.ts';
import { Backoff, type Clock, pause } from '../../../base/time.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';
import type { KnownChannel } from '../discord-records.ts';
import type { Message } from '../objects.ts';
import { compareSnowflakes, type KnownChannels } from './known-channels.ts';

const PAGE_SIZE = 100;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export interface HistoryDeps {
  readonly rest: Pick<DiscordRest, 'messagesAfter'>;
  readonly channels: KnownChannels;
  readonly clock: Clock;
  /** Stores a message. */
  take(message: Message, signal: AbortSignal): Promise<void>;
}

/**
 * Reads what was written in the known channels while there was no session. Events of a channel wait for it, so messages
 * keep their order; the other channels follow in the background, one at a time.
 */
export class History {
  readonly #deps: HistoryDeps;
  readonly #queue = new KeyedQueue();
  /** Channels with a gap, those with the newest messages first. */
  #gaps = new Set<string>();

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** All known channels have a gap. Resolves when all are read. Rejects when `signal` aborts or the bot is logged out. */
  async readAll(signal: AbortSignal): Promise<void> {
    const gaps = new Set(this.#deps.channels.newestFirst().map(({ channelId }) => channelId));
    this.#gaps = gaps;
    for (const channelId of gaps) await this.read(channelId, signal);
    signal.throwIfAborted();
  }

  /** Reads a channel's gap if it has one. Rejects as `readAll` does. */
  async read(channelId: string, signal: AbortSignal): Promise<void> {
    if (!this.#gaps.has(channelId)) return;
    await this.#queue.run(channelId, async () => {
      const gaps = this.#gaps;
      if (!gaps.has(channelId)) return;
      await this.#readGap(channelId, signal);
      gaps.delete(channelId);
    });
  }

  async #readGap(channelId: string, signal: AbortSignal): Promise<void> {
    const { channels, take } = this.#deps;
    for (;;) {
      const channel = channels.find(channelId);
      if (channel === null) return;
      const page = await this.#page(channel, signal);
      if (page === null) return;
      const messages = page.filter((each) => each !== null);
      messages.sort((a, b) => compareSnowflakes(a.id, b.id));
      for (const message of messages) await take(message, signal);
      const newest = messages.at(-1);
      if (newest !== undefined) await channels.handled(newest.id, channel);
      if (page.length < PAGE_SIZE || newest === undefined) return;
    }
  }

  /** Null: the channel cannot be read any more. */
  async #page(channel: KnownChannel, signal: AbortSignal): Promise<(Message | null)[] | null> {
    const backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#deps.rest.messagesAfter(channel.channelId, channel.lastMessageId, signal);
      } catch (error) {
        if (!(error instanceof PlatformFailure) || error.isLoggedOut) throw error;
        if (error.kind === 'refused') return null;
        await pause(this.#deps.clock, Math.max(error.afterMs, backoff.next()), signal);
      }
    }
  }
}
