import {
  ChannelType,
  GatewayDispatchEvents as E,
  GatewayIntentBits as I,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import { FakeChannel } from './channel.ts';
import type { FakeMessage } from './message.ts';
import { NO_FLAGS } from './no-flags.ts';
import { type Draft, post, refresh } from './posting.ts';
import type { FakeUser } from './user.ts';
import { wireThread } from './wire-channel.ts';
import type { World } from './world.ts';

export interface ThreadStart {
  readonly channel: FakeChannel;
  readonly name: string;
  readonly owner: FakeUser;
  readonly type?: ChannelType.PublicThread | ChannelType.PrivateThread;
  /** The message that the thread belongs to; its id becomes the thread's. */
  readonly message?: FakeMessage;
}

export function startThread(world: World, start: ThreadStart): FakeChannel {
  const { channel, name, owner, type = ChannelType.PublicThread, message } = start;
  const id = message?.id ?? world.newId();
  const thread = new FakeChannel({ id, type, name, owner, guildId: channel.guildId, parentId: channel.id });
  thread.threadMembers.add(owner.id);
  world.keep(thread);
  if (message) refresh(world, message, { flags: MessageFlags.HasThread });
  else if (type === ChannelType.PublicThread)
    post(world, channel, owner, { content: name, type: MessageType.ThreadCreated });
  world.announce(({ bot, intents }) =>
    intents & I.Guilds && world.sees(bot.user, thread)
      ? {
          t: E.ThreadCreate,
          d: { ...wireThread(thread, bot.user), newly_created: true },
        }
      : null,
  );
  return thread;
}

/** Writes in any channel. In a thread, who writes and who is mentioned becomes a member, and it is open again. */
export function write(world: World, channel: FakeChannel, author: FakeUser, draft: Draft): FakeMessage {
  if (channel.isArchived && !channel.isLocked) {
    channel.isArchived = false;
    announceThread(world, channel);
  }
  const message = post(world, channel, author, draft);
  const { users } = message.mentions;
  if (channel.isThread) for (const user of [author, ...users]) joinThread(world, channel, user);
  return message;
}

/** The thread has changed. */
export function announceThread(world: World, thread: FakeChannel): void {
  world.announce(({ bot, intents }) =>
    intents & I.Guilds && world.sees(bot.user, thread)
      ? { t: E.ThreadUpdate, d: wireThread(thread, bot.user) }
      : null,
  );
}

export function joinThread(world: World, thread: FakeChannel, user: FakeUser): void {
  if (thread.threadMembers.has(user.id)) return;
  thread.threadMembers.add(user.id);
  announceMembers(world, thread, { added: [user], removed: [] });
}

export function leaveThread(world: World, thread: FakeChannel, user: FakeUser): void {
  if (!thread.threadMembers.delete(user.id)) return;
  announceMembers(world, thread, { added: [], removed: [user] });
}

/** Of members other than itself, a bot is told only with GUILD_MEMBERS. */
function announceMembers(
  world: World,
  thread: FakeChannel,
  { added, removed }: { readonly added: readonly FakeUser[]; readonly removed: readonly FakeUser[] },
): void {
  const joinedAt = new Date(world.nowMs()).toISOString();
  world.announce(({ bot, intents }) => {
    const concerns = (user: FakeUser): boolean => user === bot.user || (intents & I.GuildMembers) !== 0;
    const come = added.filter(concerns);
    const gone = removed.filter(concerns);
    if (!(intents & I.Guilds) || come.length + gone.length === 0) return null;
    return {
      t: E.ThreadMembersUpdate,
      d: {
        id: thread.id,
        guild_id: thread.guildId!,
        member_count: thread.threadMembers.size,
        added_members: come.map(({ id }) => ({
          id: thread.id,
          user_id: id,
          join_timestamp: joinedAt,
          flags: NO_FLAGS,
        })),
        removed_member_ids: gone.map(({ id }) => id),
      },
    };
  });
}
