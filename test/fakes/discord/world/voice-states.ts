import { randomBytes } from 'node:crypto';
import {
  GatewayDispatchEvents as E,
  GatewayIntentBits as I,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import type { VoiceHost, VoiceSession } from '../voice-host.ts';
import type { FakeChannel } from './channel.ts';
import type { FakeGuild } from './guild.ts';
import type { FakeUser } from './user.ts';
import type { VoiceState } from './voice-state.ts';
import { wireVoiceState } from './wire-guild.ts';
import type { World } from './world.ts';

/** How somebody wants to be in a voice channel. */
export interface VoiceManners {
  readonly isMuted: boolean;
  readonly isDeafened: boolean;
}

/** Who is in which voice channel, and what the gateway tells about it. */
export class VoiceStates {
  readonly #world: World;
  /** Null: there is no voice server, and every endpoint is null. */
  readonly #host: VoiceHost | null;

  constructor(world: World, host: VoiceHost | null) {
    this.#world = world;
    this.#host = host;
  }

  /** Whether somebody may come in by themselves. Those who may not get no answer at all. */
  mayJoin(user: FakeUser, channel: FakeChannel): boolean {
    const permissions = this.#world.permissionsOf(user, channel);
    if (!channel.isVoice || !(permissions & P.Connect)) return false;
    const isInside = this.#stateOf(user, channel)?.channelId === channel.id;
    return isInside || (permissions & P.MoveMembers) !== 0n || !this.#isFull(channel);
  }

  /**
   * Joins, moves, or comes again; `sessionId` is that of the connection to the gateway. Returns the new session with the
   * voice server. Null: there is none, somebody who is there has changed their manners.
   */
  join(user: FakeUser, channel: FakeChannel, manners: VoiceManners, sessionId: string): VoiceSession | null {
    const guild = this.#world.guildOf(channel)!;
    const before = guild.voiceStates.get(user.id);
    const isThere = before?.channelId === channel.id && before.sessionId === sessionId;
    if (isThere && !hasManners(before, manners)) {
      before.isSelfMuted = manners.isMuted;
      before.isSelfDeafened = manners.isDeafened;
      this.#announce(guild, before, channel.id);
      return null;
    }
    const state: VoiceState = {
      userId: user.id,
      channelId: channel.id,
      sessionId,
      isSelfMuted: manners.isMuted,
      isSelfDeafened: manners.isDeafened,
    };
    guild.voiceStates.set(user.id, state);
    return this.#connect(guild, state, () => this.#announce(guild, state, channel.id));
  }

  /** Leaves, by themselves or not. */
  leave(user: FakeUser, guild: FakeGuild): void {
    const state = guild.voiceStates.get(user.id);
    if (!state) return;
    guild.voiceStates.delete(user.id);
    this.#host?.left(guild.id, user.id);
    this.#announce(guild, state, null);
  }

  /** Everybody leaves a channel, because it is gone. */
  clear(channel: FakeChannel): void {
    const guild = this.#world.guildOf(channel)!;
    for (const { userId, channelId } of [...guild.voiceStates.values()]) {
      if (channelId === channel.id) this.leave(this.#world.users.get(userId)!, guild);
    }
  }

  /** The voice server of a guild goes away; `arrive` brings everybody to another one. */
  depart(guild: FakeGuild): void {
    for (const { userId } of guild.voiceStates.values()) this.#tellServer(guild, userId, '', null);
  }

  arrive(guild: FakeGuild): VoiceSession[] {
    return [...guild.voiceStates.values()].map((state) => this.#connect(guild, state, () => {}));
  }

  /** Somebody is muted or deafened by others. */
  refresh(guild: FakeGuild, user: FakeUser): void {
    const state = guild.voiceStates.get(user.id);
    if (state) this.#announce(guild, state, state.channelId);
  }

  #connect(guild: FakeGuild, state: VoiceState, tellState: () => void): VoiceSession {
    const session: VoiceSession = {
      guildId: guild.id,
      channelId: state.channelId,
      userId: state.userId,
      sessionId: state.sessionId,
      token: randomBytes(8).toString('hex'),
    };
    this.#host?.expect(session);
    tellState();
    this.#tellServer(guild, state.userId, session.token, this.#host?.endpoint ?? null);
    return session;
  }

  #stateOf(user: FakeUser, channel: FakeChannel): VoiceState | undefined {
    return this.#world.guildOf(channel)?.voiceStates.get(user.id);
  }

  #isFull({ id, userLimit, guildId }: FakeChannel): boolean {
    const states = this.#world.guilds.get(guildId!)!.voiceStates.values();
    const count = [...states].filter(({ channelId }) => channelId === id).length;
    return userLimit > 0 && count >= userLimit;
  }

  #announce(guild: FakeGuild, state: VoiceState, channelId: string | null): void {
    const d = wireVoiceState(guild, state, channelId);
    this.#world.announce(({ bot, intents }) =>
      intents & I.GuildVoiceStates && guild.has(bot.user) ? { t: E.VoiceStateUpdate, d } : null,
    );
  }

  #tellServer(guild: FakeGuild, userId: string, token: string, endpoint: string | null): void {
    this.#world.announce(({ bot }) =>
      bot.id === userId ? { t: E.VoiceServerUpdate, d: { token, guild_id: guild.id, endpoint } } : null,
    );
  }
}

function hasManners(state: VoiceState, { isMuted, isDeafened }: VoiceManners): boolean {
  return state.isSelfMuted === isMuted && state.isSelfDeafened === isDeafened;
}
