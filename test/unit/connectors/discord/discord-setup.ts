import type { Address } from '../../../../src/base/address.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import type { Clock } from '../../../../src/base/time.ts';
import type {
  InboundMessage,
  InboundReaction,
  Intake,
  MessageIntake,
} from '../../../../src/connectors/contract/messenger.ts';
import {
  DiscordConnector,
  type DiscordOptions,
} from '../../../../src/connectors/discord/discord-connector.ts';
import {
  FakeDiscord as Fake,
  type FakeDiscord,
  type FakeDiscordOptions,
} from '../../../fakes/discord/fake-discord.ts';
import { FastClock } from '../../../support/fast-clock.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';

/** Of the connector's pauses and deadlines: it pauses for five seconds between two sessions. */
export const SPEED = 5;

/** The domain's side, which stores nothing but remembers everything. */
export class MemoryIntake implements MessageIntake {
  readonly messages: InboundMessage[] = [];
  readonly reactions: (InboundReaction & { readonly person: string | null })[] = [];
  readonly edits: { readonly id: string; readonly text: string }[] = [];
  readonly unreachable: string[] = [];
  readonly bound: string[] = [];
  /** Codes that bind. */
  readonly codes = new Set<string>();
  /** Runs before a message is stored. */
  before: (message: InboundMessage) => Promise<unknown> = async () => undefined;
  isUnbound: (from: Address) => boolean = () => false;

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }

  async received(message: InboundMessage): Promise<Intake> {
    await this.before(message);
    if (this.isUnbound(message.from)) return 'unbound';
    if (this.messages.some(({ platformMessageId: id }) => id === message.platformMessageId))
      return 'duplicate';
    this.messages.push(message);
    return 'stored';
  }

  async reacted({ person }: Address, reaction: InboundReaction): Promise<void> {
    this.reactions.push({ ...reaction, person });
  }

  async edited(_from: Address, id: string, text: string): Promise<void> {
    this.edits.push({ id, text });
  }

  async reachable({ space }: Address, isReachable: boolean): Promise<void> {
    if (!isReachable) this.unreachable.push(space.id);
  }

  async renamed(): Promise<void> {}

  async followed(): Promise<boolean> {
    return true;
  }

  async bind({ space }: Address, _name: string | null, token: string): Promise<boolean> {
    if (!this.codes.delete(token)) return false;
    this.bound.push(space.id);
    return true;
  }

  async awaitReply(): Promise<null> {
    return null;
  }

  async sentFile(): Promise<null> {
    return null;
  }
}

export interface Connected {
  readonly connector: DiscordConnector;
  readonly intake: MemoryIntake;
  readonly counts: Map<string, number>;
  readonly logs: string[];
}

export interface SetupOptions {
  readonly options?: Partial<DiscordOptions>;
  readonly records?: MemoryRecords;
  readonly intake?: MemoryIntake;
  readonly clock?: Clock;
}

/** A connector at a fake of Discord. */
export function connect(discord: Pick<FakeDiscord, 'url'>, setup: SetupOptions = {}): Connected {
  const { records = new MemoryRecords(), intake = new MemoryIntake(), clock = new FastClock(SPEED) } = setup;
  const counts = new Map<string, number>();
  const logs: string[] = [];
  const options = { apiUrl: `${discord.url}/api`, cdnUrl: discord.url, shared: null, hearsBots: false };
  const connector = new DiscordConnector(
    { ...options, ...setup.options },
    {
      clock,
      readingTime: new ReadingTime(clock),
      records,
      observer: {
        count: (event) => counts.set(event, (counts.get(event) ?? 0) + 1),
        log: (level, text, detail) =>
          logs.push(`${level}: ${text} ${JSON.stringify(detail)} ${detail.err ?? ''}`),
      },
    },
  );
  connector.provides.messenger!.onMessages(intake);
  return { connector, intake, counts, logs };
}

export async function startFake(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  return await Fake.start({ identifyWindowMs: 50, ...options });
}
