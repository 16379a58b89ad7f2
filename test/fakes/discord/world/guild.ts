import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { FakeChannel } from './channel.ts';
import type { FakeUser } from './user.ts';
import type { VoiceState } from './voice-state.ts';

export interface FakeRole {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
  /** Made for a bot when it was installed. */
  readonly botId: string | null;
}

export interface FakeMember {
  readonly user: FakeUser;
  readonly joinedAtMs: number;
  readonly roleIds: Set<string>;
  nick: string | null;
  isServerMuted: boolean;
  isServerDeafened: boolean;
}

/** What Discord gives everybody in a new guild, as far as the fake looks at it. */
const EVERYONE_PERMISSIONS =
  P.ViewChannel |
  P.SendMessages |
  P.SendMessagesInThreads |
  P.CreatePublicThreads |
  P.EmbedLinks |
  P.AttachFiles |
  P.AddReactions |
  P.MentionEveryone |
  P.ReadMessageHistory |
  P.Connect |
  P.Speak |
  P.UseVAD;

const MIB = 1_048_576;

/** A server, with its members, roles and channels. */
export class FakeGuild {
  readonly id: string;
  readonly name: string;
  readonly owner: FakeUser;
  readonly roles = new Map<string, FakeRole>();
  readonly members = new Map<string, FakeMember>();
  /** Channels and threads, by id. */
  readonly channels = new Map<string, FakeChannel>();
  /** Who is in which voice channel, by user. */
  readonly voiceStates = new Map<string, VoiceState>();
  /** The largest file that may be sent. Boosts raise it: 50 and 100 MiB. */
  uploadLimitBytes = 10 * MIB;
  /** The guild is there, and does not answer. */
  isUnavailable = false;

  constructor(id: string, name: string, owner: FakeUser) {
    this.id = id;
    this.name = name;
    this.owner = owner;
    this.roles.set(id, { id, name: '@everyone', permissions: EVERYONE_PERMISSIONS, botId: null });
  }

  /** The role that everybody has; its id is the guild's. */
  get everyone(): FakeRole {
    return this.roles.get(this.id)!;
  }

  has(user: FakeUser): boolean {
    return this.members.has(user.id);
  }
}
