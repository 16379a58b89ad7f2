import { GatewayDispatchEvents as E, GatewayIntentBits as I } from 'discord-api-types/v10';
import type { FakeBot } from '../fake-bot.ts';
import type { Announcement } from './announcement.ts';
import type { FakeGuild } from './guild.ts';
import { type FakeUser, wireUser } from './user.ts';
import { wireGuild, wireMember } from './wire-guild.ts';
import type { World } from './world.ts';

/** Somebody becomes a member of a guild. */
export function addMember(world: World, guild: FakeGuild, user: FakeUser): void {
  const roleIds = new Set<string>();
  const member = {
    user,
    joinedAtMs: world.nowMs(),
    roleIds,
    nick: null,
    isServerMuted: false,
    isServerDeafened: false,
  };
  guild.members.set(user.id, member);
  world.announce(({ bot, intents }) =>
    intents & I.GuildMembers && guild.has(bot.user) && bot.user !== user
      ? { t: E.GuildMemberAdd, d: { ...wireMember(member), guild_id: guild.id } }
      : null,
  );
}

/** Somebody leaves a guild, by themselves or not. */
export function removeMember(world: World, guild: FakeGuild, user: FakeUser): void {
  if (!guild.members.delete(user.id)) return;
  world.announce(({ bot, intents }) => {
    if (bot.user === user) return intents & I.Guilds ? { t: E.GuildDelete, d: { id: guild.id } } : null;
    return intents & I.GuildMembers && guild.has(bot.user)
      ? { t: E.GuildMemberRemove, d: { guild_id: guild.id, user: wireUser(user) } }
      : null;
  });
}

/** A bot is installed in a guild, with a role of its own. */
export function installBot(world: World, guild: FakeGuild, bot: FakeBot, permissions: bigint): void {
  addMember(world, guild, bot.user);
  const role = world.addRole(guild, bot.user.username, permissions, bot.id);
  guild.members.get(bot.id)!.roleIds.add(role.id);
  const shown = guildShown(world, guild);
  world.announce((listener) => (listener.bot === bot ? shown(listener) : null));
}

/** What a bot is told of a guild that it is in. */
export function guildShown(world: World, guild: FakeGuild): Announcement {
  return ({ bot: { user }, intents }) => {
    if (!(intents & I.Guilds)) return null;
    if (guild.isUnavailable) return { t: E.GuildDelete, d: { id: guild.id, unavailable: true } };
    // Bots are told channels that they do not see, but no such threads.
    const channels = [...guild.channels.values()].filter(
      (channel) => !channel.isThread || world.sees(user, channel),
    );
    return { t: E.GuildCreate, d: wireGuild(guild, user, channels) };
  };
}
