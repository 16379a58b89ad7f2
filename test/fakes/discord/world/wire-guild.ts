import {
  type APIRole,
  type APIVoiceState,
  type GatewayGuildCreateDispatchData,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  GuildVerificationLevel,
  Locale,
} from 'discord-api-types/v10';
import type { FakeChannel } from './channel.ts';
import type { FakeGuild, FakeMember, FakeRole } from './guild.ts';
import { isoTime } from './message.ts';
import { NO_FLAGS } from './no-flags.ts';
import { madeAtMs } from './snowflakes.ts';
import { type FakeUser, wireUser } from './user.ts';
import type { VoiceState } from './voice-state.ts';
import { wireGuildChannel, wireThread } from './wire-channel.ts';

/** What GUILD_CREATE tells a member; `channels` are those that they are told. */
export function wireGuild(
  guild: FakeGuild,
  reader: FakeUser,
  channels: readonly FakeChannel[],
): GatewayGuildCreateDispatchData {
  const threads = channels.filter(({ isThread, isArchived }) => isThread && !isArchived);
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.owner.id,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: GuildVerificationLevel.None,
    default_message_notifications: GuildDefaultMessageNotifications.AllMessages,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    roles: [...guild.roles.values()].map(wireRole),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: GuildMFALevel.None,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: NO_FLAGS,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: GuildPremiumTier.None,
    preferred_locale: Locale.EnglishUS,
    public_updates_channel_id: null,
    nsfw_level: GuildNSFWLevel.Default,
    premium_progress_bar_enabled: false,
    hub_type: null,
    safety_alerts_channel_id: null,
    incidents_data: null,
    joined_at: isoTime(guild.members.get(reader.id)?.joinedAtMs ?? madeAtMs(guild.id)),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [...guild.voiceStates.values()].map((state) =>
      wireVoiceState(guild, state, state.channelId),
    ),
    members: [...guild.members.values()].map(wireMember),
    channels: channels.filter(({ isThread }) => !isThread).map(wireGuildChannel),
    threads: threads.map((thread) => wireThread(thread, reader)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** A member, without the user, as messages show their author. */
export function wireMembership(member: FakeMember) {
  return {
    roles: [...member.roleIds],
    joined_at: isoTime(member.joinedAtMs),
    deaf: member.isServerDeafened,
    mute: member.isServerMuted,
    nick: member.nick,
    flags: NO_FLAGS,
  };
}

export function wireMember(member: FakeMember) {
  return { ...wireMembership(member), user: wireUser(member.user) };
}

/** `channelId`: null when they have just left. */
export function wireVoiceState(guild: FakeGuild, state: VoiceState, channelId: string | null): APIVoiceState {
  const member = guild.members.get(state.userId);
  return {
    guild_id: guild.id,
    channel_id: channelId,
    user_id: state.userId,
    ...(member ? { member: wireMember(member) } : {}),
    session_id: state.sessionId,
    deaf: member?.isServerDeafened ?? false,
    mute: member?.isServerMuted ?? false,
    self_deaf: state.isSelfDeafened,
    self_mute: state.isSelfMuted,
    self_video: false,
    suppress: false,
    request_to_speak_timestamp: null,
  };
}

export function wireRole({ id, name, permissions, botId }: FakeRole, position: number): APIRole {
  return {
    id,
    name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    position,
    permissions: String(permissions),
    managed: botId !== null,
    mentionable: false,
    flags: NO_FLAGS,
    ...(botId === null ? {} : { tags: { bot_id: botId } }),
  };
}
