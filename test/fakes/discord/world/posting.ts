import {
  type APIMessage,
  GatewayDispatchEvents as E,
  GatewayIntentBits as I,
  type MessageFlags,
  MessageType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { StoredFile } from '../cdn.ts';
import type { Announcement, Listener } from './announcement.ts';
import type { FakeChannel } from './channel.ts';
import { type AllowedMentions, mentionsIn } from './mentions.ts';
import { type FakeMessage, wireMessage } from './message.ts';
import { NO_FLAGS } from './no-flags.ts';
import { type FakeUser, wireUser } from './user.ts';
import { wireMember, wireMembership } from './wire-guild.ts';
import type { World } from './world.ts';

/** A message before it is posted. */
export interface Draft {
  readonly content?: string;
  readonly files?: readonly StoredFile[];
  readonly embeds?: APIMessage['embeds'];
  readonly components?: readonly object[];
  readonly flags?: MessageFlags;
  readonly answers?: FakeMessage;
  readonly nonce?: string | number;
  readonly allowedMentions?: AllowedMentions;
  readonly webhookId?: string;
  readonly type?: MessageType;
}

export function post(world: World, channel: FakeChannel, author: FakeUser, draft: Draft): FakeMessage {
  const { content = '', answers } = draft;
  const { guildId } = channel;
  const message: FakeMessage = {
    id: world.newId(),
    channelId: channel.id,
    guildId,
    author,
    webhookId: draft.webhookId ?? null,
    type: draft.type ?? (answers ? MessageType.Reply : MessageType.Default),
    nonce: draft.nonce ?? null,
    reference: answers ? { messageId: answers.id, channelId: answers.channelId, guildId } : null,
    content,
    mentions: mentionsOf(world, channel, author, draft),
    attachments: draft.files ?? [],
    embeds: draft.embeds ?? [],
    components: draft.components ?? [],
    reactions: new Set(),
    flags: draft.flags ?? NO_FLAGS,
    editedAtMs: null,
  };
  channel.messages.push(message);
  channel.lastMessageId = message.id;
  announceMessage(world, channel, message, E.MessageCreate);
  return message;
}

/** What an edit changes. */
export interface Edit {
  readonly content?: string;
  readonly files?: readonly StoredFile[];
  readonly embeds?: APIMessage['embeds'];
  readonly flags?: MessageFlags;
  readonly allowedMentions?: AllowedMentions;
}

export function edit(world: World, channel: FakeChannel, message: FakeMessage, change: Edit): void {
  message.content = change.content ?? message.content;
  message.attachments = change.files ?? message.attachments;
  message.embeds = change.embeds ?? message.embeds;
  message.flags = change.flags ?? message.flags;
  message.mentions = mentionsOf(world, channel, message.author, { ...change, content: message.content });
  message.editedAtMs = world.nowMs();
  announceMessage(world, channel, message, E.MessageUpdate);
}

/** Changes of a message that are no edits, such as the preview of a link. */
export function refresh(
  world: World,
  message: FakeMessage,
  change: { readonly embeds?: APIMessage['embeds']; readonly flags?: MessageFlags },
): void {
  message.embeds = change.embeds ?? message.embeds;
  message.flags |= change.flags ?? 0;
  announceMessage(world, world.channels.get(message.channelId)!, message, E.MessageUpdate);
}

export function remove(world: World, channel: FakeChannel, message: FakeMessage): void {
  channel.messages.splice(channel.messages.indexOf(message), 1);
  for (const { id } of message.attachments) world.cdn.forget(id);
  const guild = guildField(channel);
  world.announce((listener) =>
    hearsMessagesOf(world, channel, listener)
      ? { t: E.MessageDelete, d: { id: message.id, channel_id: channel.id, ...guild } }
      : null,
  );
}

export function showTyping(world: World, channel: FakeChannel, user: FakeUser): void {
  channel.typingShown.set(user.id, (channel.typingShown.get(user.id) ?? 0) + 1);
  const intent = channel.isDm ? I.DirectMessageTyping : I.GuildMessageTyping;
  const timestamp = Math.floor(world.nowMs() / 1_000);
  world.announce(({ bot, intents }) => {
    if (!(intents & intent) || bot.user === user || !world.sees(bot.user, channel)) return null;
    const member = world.guildOf(channel)?.members.get(user.id);
    return {
      t: E.TypingStart,
      d: {
        channel_id: channel.id,
        ...guildField(channel),
        user_id: user.id,
        timestamp,
        ...(member ? { member: wireMember(member) } : {}),
      },
    };
  });
}

/** Somebody has reacted to a message, or taken that back. */
export function react(
  world: World,
  message: FakeMessage,
  user: FakeUser,
  { emoji, isAdded }: { readonly emoji: string; readonly isAdded: boolean },
): void {
  const channel = world.channels.get(message.channelId)!;
  const intent = channel.isDm ? I.DirectMessageReactions : I.GuildMessageReactions;
  world.announce(({ bot, intents }) => {
    if (!(intents & intent) || !world.sees(bot.user, channel)) return null;
    const d = {
      user_id: user.id,
      channel_id: channel.id,
      message_id: message.id,
      ...guildField(channel),
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
    };
    return { t: isAdded ? E.MessageReactionAdd : E.MessageReactionRemove, d } as never;
  });
}

/** Somebody presses a button. Only the application of the message hears of it. Returns the interaction's token. */
export function press(world: World, message: FakeMessage, user: FakeUser, customId: string): string {
  const channel = world.channels.get(message.channelId)!;
  const token = `interaction-${world.newId()}`;
  const id = world.newId();
  world.interactions.set(id, token);
  world.announce((listener) => {
    if (listener.bot.user !== message.author) return null;
    const d = {
      id,
      application_id: listener.bot.applicationId,
      type: 3,
      token,
      version: 1,
      channel_id: channel.id,
      ...guildField(channel),
      user: wireUser(user),
      message: shownTo(world, message, listener),
      data: { custom_id: customId, component_type: 2 },
    };
    return { t: E.InteractionCreate, d } as never;
  });
  return token;
}

/** Tells bots of a message a second time, as Discord may after a lost connection. */
export function tellAgain(world: World, message: FakeMessage): void {
  announceMessage(world, world.channels.get(message.channelId)!, message, E.MessageCreate);
}

/** A message as one bot is shown it. */
export function shownTo(world: World, message: FakeMessage, { bot, intents }: Listener): APIMessage {
  const channel = world.channels.get(message.channelId)!;
  const { reference } = message;
  return wireMessage(message, {
    hasContent:
      channel.isDm ||
      message.author === bot.user ||
      message.mentions.users.includes(bot.user) ||
      (intents & I.MessageContent) !== 0,
    urlOf: (file) => world.cdn.urlOf(file),
    referenced: reference
      ? (world.channels.get(reference.channelId)?.message(reference.messageId) ?? null)
      : null,
  });
}

function announceMessage(
  world: World,
  channel: FakeChannel,
  message: FakeMessage,
  event: E.MessageCreate | E.MessageUpdate,
): void {
  const announcement: Announcement = (listener) => {
    if (!hearsMessagesOf(world, channel, listener)) return null;
    const member = world.guildOf(channel)?.members.get(message.author.id);
    const data = {
      ...shownTo(world, message, listener),
      ...guildField(channel),
      channel_type: channel.type,
      ...(member && message.webhookId === null ? { member: wireMembership(member) } : {}),
    };
    return { t: event, d: data };
  };
  world.announce(announcement);
}

function hearsMessagesOf(world: World, channel: FakeChannel, { bot, intents }: Listener): boolean {
  const intent = channel.isDm ? I.DirectMessages : I.GuildMessages;
  return (intents & intent) !== 0 && world.sees(bot.user, channel);
}

function mentionsOf(world: World, channel: FakeChannel, author: FakeUser, draft: Draft) {
  return mentionsIn(draft.content ?? '', {
    guild: world.guildOf(channel),
    users: world.users,
    allowed: draft.allowedMentions,
    mayMentionEveryone: (world.permissionsOf(author, channel) & PermissionFlagsBits.MentionEveryone) !== 0n,
    replied: draft.answers?.author ?? null,
  });
}

function guildField({ guildId }: FakeChannel): { guild_id?: string } {
  return guildId === null ? {} : { guild_id: guildId };
}
