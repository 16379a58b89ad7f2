import { LimitedMap } from '../../../base/limited-map.ts';
import type { DiscordRest } from '../client.ts';

const MAX_CHANNELS = 10_000;
/** Discord's channel types of threads: announcement, public, private. */
const THREAD_TYPES: ReadonlySet<number> = new Set([10, 11, 12]);

export interface ChannelFacts {
  readonly name: string | null;
  /** The channel of a thread; null outside threads. */
  readonly parentId: string | null;
}

/** Names of channels, and the channels of threads. Each is asked for when first needed. */
export class ChannelDirectory {
  readonly #rest: Pick<DiscordRest, 'channel'>;
  readonly #known = new LimitedMap<ChannelFacts>(MAX_CHANNELS);

  constructor(rest: Pick<DiscordRest, 'channel'>) {
    this.#rest = rest;
  }

  /** Rejects with a PlatformFailure. */
  async facts(channelId: string, signal: AbortSignal): Promise<ChannelFacts> {
    const known = this.#known.get(channelId);
    if (known) return known;
    const { type, name, parent_id: parentId } = await this.#rest.channel(channelId, signal);
    const isThread = THREAD_TYPES.has(type);
    const facts = { name: name ?? null, parentId: isThread ? (parentId ?? null) : null };
    this.#known.set(channelId, facts);
    return facts;
  }

  /** The channel was changed or deleted. */
  changed(channelId: string): void {
    this.#known.delete(channelId);
  }
}
