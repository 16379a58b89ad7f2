import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { DiscordRest } from '../client.ts';

const MAY_MANAGE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageGuild;

export interface GuildAuthor {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}

/**
 * Whether a member may manage the server, and so decide what a bot reads there: its owner, or somebody with a role that
 * has the permission (https://docs.discord.com/developers/topics/permissions). Rejects with a PlatformFailure.
 */
export async function mayManage(
  rest: Pick<DiscordRest, 'guild'>,
  { guildId, userId, roleIds }: GuildAuthor,
  signal: AbortSignal,
): Promise<boolean> {
  const { owner_id: ownerId, roles } = await rest.guild(guildId, signal);
  if (userId === ownerId) return true;
  // The role of everyone has the server's id.
  const held = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
  return held.some(({ permissions }) => (BigInt(permissions) & MAY_MANAGE) !== 0n);
}
