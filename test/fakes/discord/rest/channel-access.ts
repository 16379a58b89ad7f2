import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { FakeBot } from '../fake-bot.ts';
import type { FakeChannel } from '../world/channel.ts';
import type { FakeMessage } from '../world/message.ts';
import type { World } from '../world/world.ts';
import { REFUSALS } from './discord-error.ts';

/** The channel of an id, when the bot sees it; throws as Discord does. */
export function seenChannel(world: World, bot: FakeBot, id: string | undefined): FakeChannel {
  const channel = world.channels.get(id ?? '');
  if (!channel) throw REFUSALS.unknownChannel();
  if (!world.sees(bot.user, channel)) throw REFUSALS.missingAccess();
  return channel;
}

export function foundMessage(channel: FakeChannel, id: string | undefined): FakeMessage {
  const message = channel.message(id ?? '');
  if (!message) throw REFUSALS.unknownMessage();
  return message;
}

/** Whether the bot has a permission; in DMs it has those that matter there. */
export function may(world: World, bot: FakeBot, channel: FakeChannel, permission: bigint): boolean {
  return channel.isDm || (world.permissionsOf(bot.user, channel) & permission) === permission;
}

/** Throws unless the bot may write, with what stands between it and its readers. */
export function checkWritable(world: World, bot: FakeBot, channel: FakeChannel): void {
  if (channel.isDm) checkReachable(world, bot, channel);
  const sending = channel.isThread ? P.SendMessagesInThreads : P.SendMessages;
  if (!may(world, bot, channel, sending)) throw REFUSALS.missingPermissions();
  if (channel.isLocked && !may(world, bot, channel, P.ManageThreads)) throw REFUSALS.threadLocked();
}

function checkReachable(world: World, bot: FakeBot, channel: FakeChannel): void {
  const person = channel.recipients.find((user) => user !== bot.user)!;
  if (world.blocks.has(`${person.id}/${bot.id}`)) throw REFUSALS.unreachableUser();
  if (bot.installedBy.has(person.id)) return;
  const guilds = world.mutualGuilds(person, bot.user);
  if (guilds.length === 0) throw REFUSALS.noMutualGuild();
  const isClosed = guilds.every(({ id }) => world.closedDms.has(`${person.id}/${id}`));
  if (isClosed) throw REFUSALS.unreachableUser();
}
