import { ChannelType, Routes } from 'discord-api-types/v10';
import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import type { Capability } from '../../../base/platform.ts';
import { field } from '../../../base/platform-json.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { VoiceRest } from '../gateway/voice-signaling.ts';
import { Snowflake } from '../objects.ts';
import { PERMISSION, permissionsIn } from './permissions.ts';

const HOSTS: ReadonlySet<string> = new Set([
  'discord.com',
  'www.discord.com',
  'ptb.discord.com',
  'canary.discord.com',
]);
const PATH = /^\/channels\/(\d{17,20})\/(\d{17,20})\/?$/;

/** A channel of a server. */
export interface ChannelAddress {
  readonly guildId: string;
  readonly channelId: string;
}

/** Reads `https://discord.com/channels/<server>/<channel>`, as "Copy Link" gives it. Throws `invalid_meeting_url`. */
export function readChannelUrl(text: string): ChannelAddress {
  const url = URL.parse(text);
  const [, guildId, channelId] = PATH.exec(url?.pathname ?? '') ?? [];
  const isDiscord = url?.protocol === 'https:' && HOSTS.has(url.host);
  if (!isDiscord || guildId === undefined || channelId === undefined)
    throw new GatewayError(
      'invalid_meeting_url',
      'meeting_url is not a Discord voice channel, such as https://discord.com/channels/<server>/<channel>',
    );
  return { guildId, channelId };
}

const BitField = z.string().regex(/^\d{1,30}$/);

const VoiceChannel = z.object({
  type: z.number(),
  guild_id: field(Snowflake),
  bitrate: field(z.number().positive()),
  user_limit: field(z.number().nonnegative()),
  permission_overwrites: field(z.array(z.object({ id: Snowflake, allow: BitField, deny: BitField }))),
});
const GuildRoles = z.object({
  owner_id: Snowflake,
  roles: z.array(z.object({ id: Snowflake, permissions: BitField })),
});
const MemberRoles = z.object({ roles: z.array(Snowflake) });

/** A voice channel as one user finds it. */
export interface ChannelAccess {
  /** In bit/s; null: Discord did not say. */
  readonly bitrateBps: number | null;
  /** 0: without a limit. */
  readonly userLimit: number;
  readonly permissions: bigint;
}

/** A voice channel, and what its server says of permissions. */
export interface VoiceChannelFacts {
  readonly guildId: string;
  readonly channel: z.output<typeof VoiceChannel>;
  readonly guild: z.output<typeof GuildRoles>;
}

/** Looks a channel up. Rejects with a PlatformFailure; `not a voice channel` is one as well. */
export async function readVoiceChannel(
  rest: VoiceRest,
  { guildId, channelId }: ChannelAddress,
  signal: AbortSignal,
): Promise<VoiceChannelFacts> {
  const [channel, guild] = await Promise.all([
    rest.get(VoiceChannel, Routes.channel(channelId), signal),
    rest.get(GuildRoles, Routes.guild(guildId), signal),
  ]);
  if (channel.type === ChannelType.GuildStageVoice)
    throw new PlatformFailure('refused', 'It is a stage channel. Bots speak in voice channels only');
  if (channel.type !== ChannelType.GuildVoice || channel.guild_id !== guildId)
    throw new PlatformFailure('refused', 'It is not a voice channel of this server');
  return { guildId, channel, guild };
}

/** What a member may do in the channel. Rejects with a PlatformFailure, also when the user is no member. */
export async function accessOf(
  rest: VoiceRest,
  { guildId, channel, guild }: VoiceChannelFacts,
  userId: string,
  signal: AbortSignal,
): Promise<ChannelAccess> {
  const { roles: roleIds } = await rest.get(MemberRoles, Routes.guildMember(guildId, userId), signal);
  const permissions = permissionsIn({
    guildId,
    ownerId: guild.owner_id,
    roles: guild.roles,
    member: { userId, roleIds },
    overwrites: channel.permission_overwrites ?? [],
  });
  return { bitrateBps: channel.bitrate ?? null, userLimit: channel.user_limit ?? 0, permissions };
}

/** What keeps a user out; null: nothing that Discord lets others see. */
export function whyNot({ permissions }: ChannelAccess): string | null {
  if (!(permissions & PERMISSION.viewChannel)) return 'no permission to view the channel';
  if (!(permissions & PERMISSION.connect)) return 'no permission to connect to the channel';
  return null;
}

/** What a call in the channel offers. */
export function capabilitiesOf({ permissions }: ChannelAccess): Capability[] {
  const may = (permission: bigint): boolean => (permissions & permission) !== 0n;
  const writes = may(PERMISSION.sendMessages);
  const offered: [Capability, boolean][] = [
    ['audio_in', true],
    ['audio_out', may(PERMISSION.speak)],
    ['read', true],
    ['write', writes],
    ['typing', writes],
    ['files', writes && may(PERMISSION.attachFiles)],
  ];
  return offered.filter(([, isOffered]) => isOffered).map(([capability]) => capability);
}
