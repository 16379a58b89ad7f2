import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import * as z from 'zod';
import type { FakeBot } from '../fake-bot.ts';
import type { FakeGuild } from '../world/guild.ts';
import { joinThread, leaveThread, startThread } from '../world/threads.ts';
import { wireChannel } from '../world/wire-channel.ts';
import { wireGuild, wireMember, wireRole, wireVoiceState } from '../world/wire-guild.ts';
import type { World } from '../world/world.ts';
import { checkWritable, foundMessage, may, seenChannel } from './channel-access.ts';
import { REFUSALS } from './discord-error.ts';
import { type Route, route } from './route.ts';

const NewThread = z.strictObject({
  name: z.string().min(1).max(100),
  auto_archive_duration: z.literal([60, 1440, 4320, 10080]).optional(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
});

/** Guilds, their channels and threads. */
export const GUILD_ROUTES: readonly Route[] = [
  route({
    name: 'getGuild',
    method: 'GET',
    path: '/guilds/:',
    query: z.strictObject({ with_counts: z.enum(['true', 'false']).optional() }),
    handle: ({ world, bot, ids }) => wireGuild(joinedGuild(world, bot, ids[0]), bot.user, []),
  }),
  route({
    name: 'getGuildChannels',
    method: 'GET',
    path: '/guilds/:/channels',
    handle: ({ world, bot, ids }) =>
      [...joinedGuild(world, bot, ids[0]).channels.values()]
        .filter(({ isThread }) => !isThread)
        .map((channel) => wireChannel(channel, bot.user)),
  }),
  route({
    name: 'getGuildRoles',
    method: 'GET',
    path: '/guilds/:/roles',
    handle: ({ world, bot, ids }) => [...joinedGuild(world, bot, ids[0]).roles.values()].map(wireRole),
  }),
  route({
    name: 'getGuildMember',
    method: 'GET',
    path: '/guilds/:/members/:',
    handle: ({ world, bot, ids }) => {
      const member = joinedGuild(world, bot, ids[0]).members.get(ids[1] ?? '');
      if (!member) throw REFUSALS.unknownMember();
      return wireMember(member);
    },
  }),
  route({
    name: 'getCurrentUserVoiceState',
    method: 'GET',
    path: '/guilds/:/voice-states/@me',
    handle: ({ world, bot, ids }) => voiceStateOf(joinedGuild(world, bot, ids[0]), bot.id),
  }),
  route({
    name: 'getUserVoiceState',
    method: 'GET',
    path: '/guilds/:/voice-states/:',
    handle: ({ world, bot, ids }) => voiceStateOf(joinedGuild(world, bot, ids[0]), ids[1]),
  }),
  route({
    name: 'getChannel',
    method: 'GET',
    path: '/channels/:',
    handle: ({ world, bot, ids }) => wireChannel(seenChannel(world, bot, ids[0]), bot.user),
  }),
  route({
    name: 'startThreadFromMessage',
    method: 'POST',
    path: '/channels/:/messages/:/threads',
    body: NewThread,
    handle: ({ world, bot, ids, body }) => {
      const channel = seenChannel(world, bot, ids[0]);
      const message = foundMessage(channel, ids[1]);
      checkWritable(world, bot, channel);
      if (!may(world, bot, channel, P.CreatePublicThreads)) throw REFUSALS.missingPermissions();
      if (world.channels.has(message.id)) throw REFUSALS.threadExists();
      return wireChannel(
        startThread(world, { channel, name: body.name, owner: bot.user, message }),
        bot.user,
      );
    },
  }),
  route({
    name: 'startThread',
    method: 'POST',
    path: '/channels/:/threads',
    body: NewThread.extend({
      type: z.literal([ChannelType.PublicThread, ChannelType.PrivateThread]).optional(),
      invitable: z.boolean().optional(),
    }),
    handle: ({ world, bot, ids, body }) => {
      const channel = seenChannel(world, bot, ids[0]);
      const type = body.type ?? ChannelType.PrivateThread;
      const permission = type === ChannelType.PublicThread ? P.CreatePublicThreads : P.CreatePrivateThreads;
      if (channel.isDm) throw REFUSALS.dmAction();
      if (!may(world, bot, channel, permission)) throw REFUSALS.missingPermissions();
      return wireChannel(startThread(world, { channel, name: body.name, owner: bot.user, type }), bot.user);
    },
  }),
  route({
    name: 'joinThread',
    method: 'PUT',
    path: '/channels/:/thread-members/@me',
    handle: ({ world, bot, ids }) => {
      joinThread(world, seenChannel(world, bot, ids[0]), bot.user);
      return null;
    },
  }),
  route({
    name: 'leaveThread',
    method: 'DELETE',
    path: '/channels/:/thread-members/@me',
    handle: ({ world, bot, ids }) => {
      leaveThread(world, seenChannel(world, bot, ids[0]), bot.user);
      return null;
    },
  }),
];

function joinedGuild(world: World, bot: FakeBot, id: string | undefined): FakeGuild {
  const guild = world.guilds.get(id ?? '');
  if (!guild) throw REFUSALS.unknownGuild();
  if (!guild.has(bot.user)) throw REFUSALS.missingAccess();
  return guild;
}

function voiceStateOf(guild: FakeGuild, userId: string | undefined): object {
  const state = guild.voiceStates.get(userId ?? '');
  if (!state) throw REFUSALS.unknownVoiceState();
  return wireVoiceState(guild, state, state.channelId);
}
