import { ChannelType } from 'discord-api-types/v10';
import type { FakeMessage } from './message.ts';
import type { FakeUser } from './user.ts';

/** Types of channels that the fake knows. */
export type FakeChannelType =
  | ChannelType.GuildText
  | ChannelType.DM
  | ChannelType.GuildVoice
  | ChannelType.GuildStageVoice
  | ChannelType.PublicThread
  | ChannelType.PrivateThread;

/** What a role, or a member, may and may not in one channel. */
export interface Overwrite {
  readonly id: string;
  readonly isRole: boolean;
  readonly allow: bigint;
  readonly deny: bigint;
}

export interface ChannelFacts {
  readonly id: string;
  readonly type: FakeChannelType;
  readonly name: string | null;
  readonly guildId: string | null;
  /** Of a thread: the channel it belongs to. */
  readonly parentId?: string;
  /** Of a thread: who has started it. */
  readonly owner?: FakeUser;
  /** Of a DM: its two sides. */
  readonly recipients?: readonly FakeUser[];
}

/** A channel, thread or DM, with its messages. */
export class FakeChannel {
  readonly id: string;
  readonly type: FakeChannelType;
  name: string | null;
  readonly guildId: string | null;
  readonly parentId: string | null;
  readonly owner: FakeUser | null;
  readonly recipients: readonly FakeUser[];
  /** Of a thread: who has joined it, by id. */
  readonly threadMembers = new Set<string>();
  readonly overwrites = new Map<string, Overwrite>();
  /** From the oldest to the newest. */
  readonly messages: FakeMessage[] = [];
  /** Of a voice channel; 0: no limit. */
  userLimit = 0;
  /** Of a voice channel. */
  bitrateBps = 64_000;
  /** Of a voice channel; null: Discord chooses. */
  rtcRegion: string | null = null;
  /** Slow mode: seconds between two messages of one user. */
  slowModeS = 0;
  isArchived = false;
  isLocked = false;
  /** Last known, even when that message is gone. */
  lastMessageId: string | null = null;
  /** How often each user has shown that they type. */
  readonly typingShown = new Map<string, number>();

  constructor({ id, type, name, guildId, parentId, owner, recipients = [] }: ChannelFacts) {
    this.id = id;
    this.type = type;
    this.name = name;
    this.guildId = guildId;
    this.parentId = parentId ?? null;
    this.owner = owner ?? null;
    this.recipients = recipients;
  }

  get isDm(): boolean {
    return this.type === ChannelType.DM;
  }

  get isThread(): boolean {
    return this.type === ChannelType.PublicThread || this.type === ChannelType.PrivateThread;
  }

  get isVoice(): boolean {
    return this.type === ChannelType.GuildVoice || this.type === ChannelType.GuildStageVoice;
  }

  message(id: string): FakeMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }
}
