import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { FakeChannel } from './channel.ts';
import type { FakeGuild } from './guild.ts';

const ALL = Object.values(P).reduce((all, bit) => all | bit, 0n);

/** https://docs.discord.com/developers/topics/permissions#permission-overwrites. None for those who are not members. */
export function permissionsIn(guild: FakeGuild, userId: string, channel: FakeChannel | null): bigint {
  const base = guildPermissions(guild, userId);
  if (base === null) return 0n;
  if (base & P.Administrator) return ALL;
  const place = channel?.isThread ? guild.channels.get(channel.parentId ?? '') : channel;
  if (!place) return base;
  const permissions = overwritten(guild, userId, place, base);
  // Who does not see a channel can do nothing in it, whatever else they may.
  return permissions & P.ViewChannel ? permissions : 0n;
}

function guildPermissions(guild: FakeGuild, userId: string): bigint | null {
  const member = guild.members.get(userId);
  if (!member) return null;
  if (guild.owner.id === userId) return ALL;
  let permissions = guild.everyone.permissions;
  for (const id of member.roleIds) permissions |= guild.roles.get(id)?.permissions ?? 0n;
  return permissions;
}

function overwritten(guild: FakeGuild, userId: string, { overwrites }: FakeChannel, base: bigint): bigint {
  const everyone = overwrites.get(guild.id);
  let permissions = base;
  if (everyone) permissions = (permissions & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const id of guild.members.get(userId)?.roleIds ?? []) {
    allow |= overwrites.get(id)?.allow ?? 0n;
    deny |= overwrites.get(id)?.deny ?? 0n;
  }
  permissions = (permissions & ~deny) | allow;
  const own = overwrites.get(userId);
  return own ? (permissions & ~own.deny) | own.allow : permissions;
}
