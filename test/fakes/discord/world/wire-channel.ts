import {
  type APIChannel,
  type APIDMChannel,
  type APIGuildStageVoiceChannel,
  type APIGuildVoiceChannel,
  type APIPrivateThreadChannel,
  type APIPublicThreadChannel,
  type APITextChannel,
  ChannelType,
  OverwriteType,
  ThreadAutoArchiveDuration,
} from 'discord-api-types/v10';
import type { FakeChannel, Overwrite } from './channel.ts';
import { isoTime } from './message.ts';
import { NO_FLAGS } from './no-flags.ts';
import { madeAtMs } from './snowflakes.ts';
import { type FakeUser, wireUser } from './user.ts';

type WireGuildChannel = (APITextChannel | APIGuildVoiceChannel | APIGuildStageVoiceChannel) & InGuild;
type WireThread = (APIPublicThreadChannel | APIPrivateThreadChannel) & InGuild & { parent_id: string };

interface InGuild {
  guild_id: string;
}

/** A channel as `reader` is told it. */
export function wireChannel(channel: FakeChannel, reader: FakeUser): APIChannel {
  if (channel.isDm) return wireDm(channel, reader);
  return channel.isThread ? wireThread(channel, reader) : wireGuildChannel(channel);
}

export function wireGuildChannel(channel: FakeChannel): WireGuildChannel {
  const common = {
    id: channel.id,
    guild_id: channel.guildId!,
    name: channel.name!,
    position: 0,
    parent_id: null,
    nsfw: false,
    flags: NO_FLAGS,
    rate_limit_per_user: channel.slowModeS,
    last_message_id: channel.lastMessageId,
    permission_overwrites: [...channel.overwrites.values()].map(wireOverwrite),
  };
  if (!channel.isVoice) return { ...common, type: ChannelType.GuildText, topic: null };
  return {
    ...common,
    type: channel.type as ChannelType.GuildVoice | ChannelType.GuildStageVoice,
    bitrate: channel.bitrateBps,
    user_limit: channel.userLimit,
    rtc_region: channel.rtcRegion,
  };
}

export function wireThread(channel: FakeChannel, reader: FakeUser): WireThread {
  const startedAt = isoTime(madeAtMs(channel.id));
  return {
    id: channel.id,
    type: channel.type as ChannelType.PublicThread | ChannelType.PrivateThread,
    guild_id: channel.guildId!,
    parent_id: channel.parentId!,
    name: channel.name!,
    ...(channel.owner ? { owner_id: channel.owner.id } : {}),
    flags: NO_FLAGS,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowModeS,
    message_count: channel.messages.length,
    total_message_sent: channel.messages.length,
    member_count: channel.threadMembers.size,
    thread_metadata: {
      archived: channel.isArchived,
      auto_archive_duration: ThreadAutoArchiveDuration.OneDay,
      archive_timestamp: startedAt,
      create_timestamp: startedAt,
      locked: channel.isLocked,
    },
    ...(channel.threadMembers.has(reader.id)
      ? { member: { id: channel.id, user_id: reader.id, join_timestamp: startedAt, flags: NO_FLAGS } }
      : {}),
  };
}

function wireDm(channel: FakeChannel, reader: FakeUser): APIDMChannel {
  return {
    id: channel.id,
    type: ChannelType.DM,
    name: null,
    flags: NO_FLAGS,
    last_message_id: channel.lastMessageId,
    recipients: channel.recipients.filter((user) => user !== reader).map(wireUser),
  };
}

function wireOverwrite({ id, isRole, allow, deny }: Overwrite) {
  const type = isRole ? OverwriteType.Role : OverwriteType.Member;
  return { id, type, allow: String(allow), deny: String(deny) };
}
