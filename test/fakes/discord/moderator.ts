import { GatewayDispatchEvents as E, GatewayIntentBits as I } from 'discord-api-types/v10';
import type { FakeChannel } from './world/channel.ts';
import type { FakeGuild } from './world/guild.ts';
import { removeMember } from './world/membership.ts';
import type { FakeMessage } from './world/message.ts';
import { post } from './world/posting.ts';
import { announceThread } from './world/threads.ts';
import type { FakeUser } from './world/user.ts';
import type { VoiceStates } from './world/voice-states.ts';
import { wireGuildChannel, wireThread } from './world/wire-channel.ts';
import { wireRole } from './world/wire-guild.ts';
import type { World } from './world/world.ts';

/** Somebody with a user at Discord: a bot or a person. */
interface Somebody {
  readonly user: FakeUser;
}

/** Permissions as bits, those of `PermissionFlagsBits`. */
interface Overwritten {
  readonly allow?: bigint;
  readonly deny?: bigint;
}

/** What those who run a guild do in it. */
export class Moderator {
  readonly #world: World;
  readonly #voice: VoiceStates;

  constructor(world: World, voice: VoiceStates) {
    this.#world = world;
    this.#voice = voice;
  }

  /** What somebody, or everybody, may and may not in one channel. */
  overwrites(
    channel: FakeChannel,
    whom: Somebody | 'everyone',
    { allow = 0n, deny = 0n }: Overwritten,
  ): void {
    const id = whom === 'everyone' ? channel.guildId! : whom.user.id;
    channel.overwrites.set(id, { id, isRole: whom === 'everyone', allow, deny });
    this.#updated(channel);
  }

  /** What everybody may in the whole guild. */
  permits(guild: FakeGuild, permissions: bigint): void {
    guild.everyone.permissions = permissions;
    this.#world.announce(({ bot, intents }) =>
      intents & I.Guilds && guild.has(bot.user)
        ? { t: E.GuildRoleUpdate, d: { guild_id: guild.id, role: wireRole(guild.everyone, 0) } }
        : null,
    );
  }

  /** 0: as many as come. */
  limitsUsers(channel: FakeChannel, userLimit: number): void {
    channel.userLimit = userLimit;
    this.#updated(channel);
  }

  setsBitrate(channel: FakeChannel, bitrateBps: number): void {
    channel.bitrateBps = bitrateBps;
    this.#updated(channel);
  }

  /** An integration writes by a webhook of the channel. */
  postsByWebhook(channel: FakeChannel, username: string, content: string): FakeMessage {
    const id = this.#world.newId();
    const author = { id, username, globalName: null, isBot: true };
    return post(this.#world, channel, author, { content, webhookId: id });
  }

  renames(channel: FakeChannel, name: string): void {
    channel.name = name;
    this.#updated(channel);
  }

  setsSlowMode(channel: FakeChannel, seconds: number): void {
    channel.slowModeS = seconds;
    this.#updated(channel);
  }

  archives(thread: FakeChannel, isLocked = false): void {
    thread.isArchived = true;
    thread.isLocked = isLocked;
    this.#updated(thread);
  }

  /** Whoever is in it leaves; its threads go with it. */
  deletes(channel: FakeChannel): void {
    const world = this.#world;
    const guild = world.guildOf(channel)!;
    for (const other of [...guild.channels.values()]) if (other.parentId === channel.id) this.deletes(other);
    if (channel.isVoice) this.#voice.clear(channel);
    const watchers = [...world.bots.values()].filter(({ user }) => world.sees(user, channel));
    guild.channels.delete(channel.id);
    world.channels.delete(channel.id);
    for (const { attachments } of channel.messages) for (const { id } of attachments) world.cdn.forget(id);
    world.announce(({ bot, intents }) => {
      if (!(intents & I.Guilds) || !guild.has(bot.user)) return null;
      if (!channel.isThread) return { t: E.ChannelDelete, d: wireGuildChannel(channel) };
      if (!watchers.includes(bot)) return null;
      const { id, guild_id, parent_id, type } = wireThread(channel, bot.user);
      return { t: E.ThreadDelete, d: { id, guild_id, parent_id, type } };
    });
  }

  /** Moves somebody to another voice channel, whether they may join it or not. */
  moves(whom: Somebody, channel: FakeChannel): void {
    const state = this.#world.guildOf(channel)?.voiceStates.get(whom.user.id);
    if (!state) throw new Error(`${whom.user.username} is not in voice`);
    const manners = { isMuted: state.isSelfMuted, isDeafened: state.isSelfDeafened };
    this.#voice.join(whom.user, channel, manners, state.sessionId);
  }

  /** Puts somebody out of voice. */
  disconnects(whom: Somebody, guild: FakeGuild): void {
    this.#voice.leave(whom.user, guild);
  }

  /** Mutes or unmutes somebody for everybody. */
  mutes(whom: Somebody, guild: FakeGuild, isMuted = true): void {
    guild.members.get(whom.user.id)!.isServerMuted = isMuted;
    this.#voice.refresh(guild, whom.user);
  }

  /** The voice server of a guild goes away; `bringsVoiceServer` brings another one. */
  takesVoiceServer(guild: FakeGuild): void {
    this.#voice.depart(guild);
  }

  bringsVoiceServer(guild: FakeGuild): void {
    this.#voice.arrive(guild);
  }

  /** Puts somebody out of the guild. */
  kicks(whom: Somebody, guild: FakeGuild): void {
    this.#voice.leave(whom.user, guild);
    removeMember(this.#world, guild, whom.user);
  }

  #updated(channel: FakeChannel): void {
    if (channel.isThread) return announceThread(this.#world, channel);
    const guild = this.#world.guildOf(channel)!;
    this.#world.announce(({ bot, intents }) =>
      intents & I.Guilds && guild.has(bot.user) ? { t: E.ChannelUpdate, d: wireGuildChannel(channel) } : null,
    );
  }
}
