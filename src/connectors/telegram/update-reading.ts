import {
  type AnyUpdate,
  type CallbackQuery,
  type MemberUpdate,
  type Message,
  type ReactionType,
  type ReactionUpdate,
  Update,
  type User,
} from './bot-api-types.ts';
import { labelIn } from './buttons.ts';
import { isForBot, type OwnBot } from './mentions.ts';
import { contentOf, type InboundContent, writtenIn } from './message-content.ts';
import { messageIdIn } from './message-ids.ts';

/** A person, whose id is that of their private chat, too; or a group or channel. */
export interface Party {
  readonly remoteId: string;
  readonly remoteName: string | null;
}

/** Where something happened, and who did it. */
export interface Place {
  /** A person, or the group or channel in whose name they write. */
  readonly person: Party;
  /** Null: in the person's private chat. */
  readonly group: Party | null;
  /** The topic of the chat; null: none. */
  readonly thread: string | null;
}

export interface ReadMessage extends InboundContent, Place {
  readonly kind: 'message';
  readonly updateId: number;
  /** Update id of an album's last part; for other messages the same as `updateId`. */
  readonly lastUpdateId: number;
  readonly messageId: string;
  /** ISO 8601. */
  readonly sentAt: string;
  /** Shared by all parts of one album. */
  readonly albumId: string | null;
  /** Written in a group and not meant for the bot; of an album, one part says for whom all are. */
  readonly isOverheard: boolean;
}

/** The content of an update that the gateway handles. */
export type Reading =
  | ReadMessage
  /** `message`: as it is now. */
  | { readonly kind: 'edit'; readonly updateId: number; readonly message: ReadMessage }
  /** A person has pressed a button. `label`: what is on it. */
  | (Place & {
      readonly kind: 'press';
      readonly updateId: number;
      readonly queryId: string;
      readonly messageId: string;
      readonly label: string;
    })
  | (Place & {
      readonly kind: 'reaction';
      readonly updateId: number;
      readonly messageId: string;
      readonly changes: readonly { readonly emoji: string; readonly isAdded: boolean }[];
    })
  | (Place & { readonly kind: 'reachable'; readonly updateId: number; readonly isReachable: boolean })
  /** A group has become a supergroup. */
  | { readonly kind: 'migrated'; readonly updateId: number; readonly fromId: string; readonly toId: string }
  | { readonly kind: 'nothing'; readonly updateId: number }
  /** An update that does not match the known format. */
  | { readonly kind: 'unreadable'; readonly updateId: number };

/** Update types requested from Telegram. */
export const READ_UPDATES = [
  'message',
  'edited_message',
  'my_chat_member',
  'callback_query',
  'message_reaction',
] as const;

/** The topic of what is written in none: messages to it must not name it (github.com/tdlib/telegram-bot-api/issues/798). */
const GENERAL = 1;
/** Channels are read by subscribers, and nobody is answered there. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['private', 'group', 'supergroup']);

/** Reads an update for a bot. */
export function readingOf(update: AnyUpdate, own: OwnBot): Reading {
  const parsed = Update.safeParse(update);
  return parsed.success ? read(parsed.data, own) : { kind: 'unreadable', updateId: update.update_id };
}

/** Returns whether an update can be read before the bot's own name is known. */
export function isPrivate(update: AnyUpdate): boolean {
  const { message, edited_message: edited } = Update.safeParse(update).data ?? {};
  return ((message ?? edited)?.chat.type ?? 'private') === 'private';
}

function read(update: Update, own: OwnBot): Reading {
  const { update_id: updateId, message, edited_message: edited, my_chat_member: member } = update;
  const { callback_query: query, message_reaction: reaction } = update;
  const nothing = { kind: 'nothing', updateId } as const;
  if (message) return migrationIn(updateId, message) ?? readMessage(updateId, message, own) ?? nothing;
  if (edited) {
    const read = writtenIn(edited) === null ? null : readMessage(updateId, edited, own);
    return read ? { kind: 'edit', updateId, message: read } : nothing;
  }
  if (member) return readMember(updateId, member) ?? nothing;
  if (query) return readPress(updateId, query) ?? nothing;
  if (reaction) return readReaction(updateId, reaction) ?? nothing;
  return nothing;
}

/** Both chats tell it. */
function migrationIn(
  updateId: number,
  { chat, migrate_to_chat_id: toId, migrate_from_chat_id: fromId }: Message,
): Reading | null {
  if (toId !== undefined) return { kind: 'migrated', updateId, fromId: `${chat.id}`, toId: `${toId}` };
  if (fromId !== undefined) return { kind: 'migrated', updateId, fromId: `${fromId}`, toId: `${chat.id}` };
  return null;
}

function readMember(updateId: number, { chat, from, new_chat_member: now }: MemberUpdate): Reading | null {
  const place = placeOf({ chat, from });
  const isGone = now.status === 'kicked' || now.status === 'left' || now.is_member === false;
  return place && { kind: 'reachable', updateId, ...place, isReachable: !isGone };
}

function readPress(updateId: number, { id, from, data, message }: CallbackQuery): Reading | null {
  const place = message && placeOf({ ...message, from });
  if (!place || data === undefined) return null;
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  const label = buttons.find(({ callback_data: own }) => own === data)?.text ?? labelIn(data);
  if (label === null) return null;
  return { kind: 'press', updateId, ...place, queryId: id, messageId: idOf(message), label };
}

function readReaction(
  updateId: number,
  { chat, user, actor_chat: actor, message_id: id, ...reactions }: ReactionUpdate,
): Reading | null {
  const place = placeOf({ chat, from: user, sender_chat: actor });
  const before = emojiOf(reactions.old_reaction);
  const now = emojiOf(reactions.new_reaction);
  const removed = before.filter((emoji) => !now.includes(emoji)).map((emoji) => ({ emoji, isAdded: false }));
  const added = now.filter((emoji) => !before.includes(emoji)).map((emoji) => ({ emoji, isAdded: true }));
  const changes = [...removed, ...added];
  return place && { kind: 'reaction', updateId, ...place, messageId: messageIdIn(chat.id, id), changes };
}

function emojiOf(reactions: readonly ReactionType[]): string[] {
  return reactions.flatMap(({ emoji, custom_emoji_id: customId }) => emoji ?? customId ?? []);
}

function readMessage(updateId: number, message: Message, own: OwnBot): ReadMessage | null {
  const place = placeOf(message);
  const content = contentOf(message, place?.group ? own : null);
  if (place === null || content === null) return null;
  return {
    kind: 'message',
    updateId,
    lastUpdateId: updateId,
    ...place,
    messageId: idOf(message),
    sentAt: new Date(message.date * 1_000).toISOString(),
    albumId: message.media_group_id ?? null,
    isOverheard: place.group !== null && !isForBot(message, own),
    ...content,
  };
}

type Placed = Pick<Message, 'chat' | 'from'> &
  Partial<Pick<Message, 'sender_chat' | 'author_signature' | 'message_thread_id' | 'is_topic_message'>>;

/**
 * Returns where a message is and who wrote it; null: nobody, or another bot. Chats may have topics, which are threads of their
 * own (https://core.telegram.org/bots/api#message); a thread of replies is none.
 */
function placeOf(message: Placed): Place | null {
  const { chat, message_thread_id: topic, is_topic_message: isInTopic } = message;
  if (!CONVERSATIONS.has(chat.type)) return null;
  const thread = isInTopic && topic !== undefined && topic !== GENERAL ? String(topic) : null;
  if (chat.type === 'private') return { person: personOf(chat), group: null, thread };
  const person = senderOf(message);
  const group = { remoteId: String(chat.id), remoteName: chat.title ?? null };
  return person && { person, group, thread };
}

/** What is written in the name of a chat comes from a bot of Telegram's own. */
function senderOf({ from, sender_chat: chat, author_signature: title }: Placed): Party | null {
  if (chat) return { remoteId: String(chat.id), remoteName: title || (chat.title ?? null) };
  return from && !from.is_bot ? personOf(from) : null;
}

function idOf({ chat, message_id: id }: Pick<Message, 'chat' | 'message_id'>): string {
  return messageIdIn(chat.id, id);
}

function personOf({ id, first_name: first, last_name: last, username }: User): Party {
  const name = [first, last].filter(Boolean).join(' ');
  return { remoteId: String(id), remoteName: name || (username ?? null) };
}
