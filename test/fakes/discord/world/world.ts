import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Cdn } from '../cdn.ts';
import type { FakeBot } from '../fake-bot.ts';
import type { Announcement } from './announcement.ts';
import { FakeChannel, type FakeChannelType } from './channel.ts';
import { FakeGuild, type FakeRole } from './guild.ts';
import { permissionsIn } from './permissions.ts';
import { Snowflakes } from './snowflakes.ts';
import type { FakeUser } from './user.ts';

/** Everything there is at this Discord. Verbs that change it stand beside it, and announce what they did. */
export class World {
  readonly users = new Map<string, FakeUser>();
  readonly bots = new Map<string, FakeBot>();
  readonly guilds = new Map<string, FakeGuild>();
  /** Channels of guilds, threads and DMs, by id. */
  readonly channels = new Map<string, FakeChannel>();
  readonly cdn: Cdn;
  readonly nowMs: () => number;
  /** Those who block others, as `who/whom`. */
  readonly blocks = new Set<string>();
  /** Tokens of presses that were not answered yet, by id. */
  readonly interactions = new Map<string, string>();
  /** Who takes no DMs of members of a guild, as `user/guild`. */
  readonly closedDms = new Set<string>();
  readonly #snowflakes = new Snowflakes();
  readonly #listeners = new Set<(announcement: Announcement) => void>();

  constructor(cdn: Cdn, nowMs: () => number) {
    this.cdn = cdn;
    this.nowMs = nowMs;
  }

  newId(): string {
    return this.#snowflakes.next(this.nowMs());
  }

  /** Calls back with everything that happens from now on. */
  follow(listener: (announcement: Announcement) => void): void {
    this.#listeners.add(listener);
  }

  announce(announcement: Announcement): void {
    for (const listener of this.#listeners) listener(announcement);
  }

  addUser(facts: Omit<FakeUser, 'id'>): FakeUser {
    const user = { id: this.newId(), ...facts };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string, owner: FakeUser): FakeGuild {
    const guild = new FakeGuild(this.newId(), name, owner);
    this.guilds.set(guild.id, guild);
    return guild;
  }

  addChannel(guild: FakeGuild, name: string, type: FakeChannelType): FakeChannel {
    return this.keep(new FakeChannel({ id: this.newId(), type, name, guildId: guild.id }));
  }

  addRole(guild: FakeGuild, name: string, permissions: bigint, botId: string | null = null): FakeRole {
    const role = { id: this.newId(), name, permissions, botId };
    guild.roles.set(role.id, role);
    return role;
  }

  keep(channel: FakeChannel): FakeChannel {
    this.channels.set(channel.id, channel);
    if (channel.guildId !== null) this.guilds.get(channel.guildId)!.channels.set(channel.id, channel);
    return channel;
  }

  /** The DM of two users, made when there is none. */
  dmOf(one: FakeUser, other: FakeUser): FakeChannel {
    for (const channel of this.channels.values()) {
      const { isDm, recipients } = channel;
      if (isDm && recipients.includes(one) && recipients.includes(other)) return channel;
    }
    const facts = { id: this.newId(), type: ChannelType.DM as const, name: null, guildId: null };
    return this.keep(new FakeChannel({ ...facts, recipients: [one, other] }));
  }

  guildOf(channel: FakeChannel): FakeGuild | null {
    return channel.guildId === null ? null : this.guilds.get(channel.guildId)!;
  }

  /** A thread's parent; else the channel itself. */
  placeOf(channel: FakeChannel): FakeChannel {
    return channel.parentId === null ? channel : this.channels.get(channel.parentId)!;
  }

  permissionsOf(user: FakeUser, channel: FakeChannel): bigint {
    const guild = this.guildOf(channel);
    return guild ? permissionsIn(guild, user.id, channel) : 0n;
  }

  sees(user: FakeUser, channel: FakeChannel): boolean {
    if (channel.isDm) return channel.recipients.includes(user);
    const permissions = this.permissionsOf(user, channel);
    if (!(permissions & PermissionFlagsBits.ViewChannel)) return false;
    if (channel.type !== ChannelType.PrivateThread || channel.threadMembers.has(user.id)) return true;
    return (permissions & PermissionFlagsBits.ManageThreads) !== 0n;
  }

  /** Guilds that both are in. */
  mutualGuilds(one: FakeUser, other: FakeUser): FakeGuild[] {
    return [...this.guilds.values()].filter((guild) => guild.has(one) && guild.has(other));
  }
}
