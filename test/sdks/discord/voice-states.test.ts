import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { VoiceHost, VoiceSession } from '../../fakes/discord/voice-host.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startOceanic } from './oceanic-bot.ts';

/** A voice server that only remembers. */
class Remembering implements VoiceHost {
  readonly endpoint = '127.0.0.1:9';
  readonly expected: VoiceSession[] = [];
  readonly departed: string[] = [];

  expect(session: VoiceSession): void {
    this.expected.push(session);
  }

  left(_guildId: string, userId: string): void {
    this.departed.push(userId);
  }
}

/** A bot in a guild with a voice channel, and the voice events that it is told. */
async function startVoice() {
  const voice = new Remembering();
  const world = await startOceanic({ voice });
  const { discord, guild, client } = world;
  const lounge = discord.addVoiceChannel(guild, 'lounge');
  const told: { t: string; d: AnyJson }[] = [];
  client.on('packet', ({ t, d }) => {
    if (t?.startsWith('VOICE_')) told.push({ t, d: d as AnyJson });
  });
  const shard = client.shards.get(0)!;
  const enter = (channelId: string | null): void =>
    shard.updateVoiceState(guild.id, channelId, { selfDeaf: false, selfMute: false });
  /** Waits until the bot has been told whatever came of what it sent. */
  const settled = async (): Promise<void> => {
    shard.lastHeartbeatReceived = 0;
    shard.heartbeat(true);
    await waitFor('the acknowledgement', () => shard.lastHeartbeatReceived > 0);
  };
  const take = (): { t: string; d: AnyJson }[] => told.splice(0);
  return { ...world, voice, lounge, told, enter, settled, take };
}

test('a bot joins, is told the voice server that expects it, and leaves', async () => {
  const { bot, guild, lounge, voice, told, enter, take } = await startVoice();
  enter(lounge.id);
  await waitFor('both events', () => told.length === 2);
  const [state, server] = take();
  const [session] = voice.expected;
  expect(session).toMatchObject({ guildId: guild.id, channelId: lounge.id, userId: bot.id });
  expect(state).toMatchObject({
    t: 'VOICE_STATE_UPDATE',
    d: { channel_id: lounge.id, session_id: session!.sessionId, member: { user: { id: bot.id } } },
  });
  expect(server).toMatchObject({
    t: 'VOICE_SERVER_UPDATE',
    d: { guild_id: guild.id, endpoint: '127.0.0.1:9', token: session!.token },
  });
  enter(null);
  await waitFor('the end', () => told.length === 1);
  expect(take()[0]?.d).toMatchObject({ channel_id: null, user_id: bot.id });
  expect(voice.departed).toEqual([bot.id]);
});

test('who may not join, or finds no place, is not answered', async () => {
  const { discord, bot, lounge, channel, ada, enter, settled, take } = await startVoice();
  discord.moderator.overwrites(lounge, bot, { deny: PermissionFlagsBits.Connect });
  enter(lounge.id);
  enter(channel.id);
  enter('123456789012345678');
  await settled();
  expect(take()).toEqual([]);
  discord.moderator.overwrites(lounge, bot, {});
  discord.moderator.limitsUsers(lounge, 1);
  ada.joinsVoice(lounge);
  enter(lounge.id);
  await settled();
  expect(take().map(({ d }) => d.user_id)).toEqual([ada.id]);
});

test('people come and go, and are muted', async () => {
  const { discord, guild, lounge, ada, told, take } = await startVoice();
  const session = ada.joinsVoice(lounge);
  expect(session.userId).toBe(ada.id);
  discord.moderator.mutes(ada, guild);
  ada.leavesVoice(guild);
  await waitFor('three events', () => told.length === 3);
  expect(take().map(({ d }) => [d.channel_id, d.mute, d.session_id])).toEqual([
    [lounge.id, false, session.sessionId],
    [lounge.id, true, session.sessionId],
    [null, true, session.sessionId],
  ]);
});

test('a bot is moved, given another server, kicked, and loses its channel', async () => {
  const { discord, guild, bot, lounge, voice, told, enter, take } = await startVoice();
  const attic = discord.addVoiceChannel(guild, 'attic');
  const next = async (count: number) => {
    await waitFor(`${count} events`, () => told.length === count);
    return take().map(({ d }) => d.channel_id ?? d.endpoint ?? null);
  };
  enter(lounge.id);
  await next(2);
  discord.moderator.moves(bot, attic);
  expect(await next(2)).toEqual([attic.id, voice.endpoint]);
  expect(voice.expected.at(-1)?.channelId).toBe(attic.id);
  discord.moderator.takesVoiceServer(guild);
  discord.moderator.bringsVoiceServer(guild);
  expect(await next(2)).toEqual([null, voice.endpoint]);
  discord.moderator.disconnects(bot, guild);
  expect(await next(1)).toEqual([null]);
  enter(attic.id);
  await next(2);
  discord.moderator.deletes(attic);
  expect(await next(1)).toEqual([null]);
  expect(voice.departed).toEqual([bot.id, bot.id]);
});

test('a bot that comes again to its channel gets a new session, and leaves with its session at the gateway', async () => {
  const { discord, bot, lounge, voice, told, enter } = await startVoice();
  enter(lounge.id);
  await waitFor('both events', () => told.length === 2);
  enter(lounge.id);
  await waitFor('both events again', () => told.length === 4);
  const [first, second] = voice.expected;
  expect(second?.token).not.toBe(first?.token);
  discord.gateway.faults.invalidate(bot, false);
  expect(voice.departed).toEqual([bot.id]);
});
