import {
  type AnyUpdate,
  type CallbackQuery,
  type Chat,
  type Message,
  type ReactionType,
  type ReactionUpdate,
  Update,
} from './bot-api-types.ts';
import { labelIn } from './buttons.ts';
import { contentOf, type InboundContent, writtenIn } from './message-content.ts';

/** A person who writes to a bot. */
export interface Person {
  /** Id of the private chat, which is the person's own id. */
  readonly remoteId: string;
  readonly remoteName: string | null;
}

export interface ReadMessage extends InboundContent {
  readonly kind: 'message';
  readonly updateId: number;
  /** Update id of an album's last part; for other messages the same as `updateId`. */
  readonly lastUpdateId: number;
  readonly person: Person;
  /** The topic of the chat; null: none. */
  readonly thread: string | null;
  readonly messageId: string;
  /** ISO 8601. */
  readonly sentAt: string;
  /** Shared by all parts of one album. */
  readonly albumId: string | null;
}

/** The content of an update that the gateway handles. */
export type Reading =
  | ReadMessage
  | {
      readonly kind: 'edit';
      readonly updateId: number;
      readonly person: Person;
      readonly thread: string | null;
      readonly messageId: string;
      readonly text: string;
    }
  /** A person has pressed a button. `label`: what is on it. */
  | {
      readonly kind: 'press';
      readonly updateId: number;
      readonly person: Person;
      readonly thread: string | null;
      readonly queryId: string;
      readonly messageId: string;
      readonly label: string;
    }
  | {
      readonly kind: 'reaction';
      readonly updateId: number;
      readonly person: Person;
      readonly messageId: string;
      readonly changes: readonly { readonly emoji: string; readonly isAdded: boolean }[];
    }
  | {
      readonly kind: 'reachable';
      readonly updateId: number;
      readonly person: Person;
      readonly isReachable: boolean;
    }
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

/** Reads an update. Only private chats count; group messages are ignored. */
export function readingOf(update: AnyUpdate): Reading {
  const parsed = Update.safeParse(update);
  return parsed.success ? read(parsed.data) : { kind: 'unreadable', updateId: update.update_id };
}

function read(update: Update): Reading {
  const { update_id: updateId, message, edited_message: edited, my_chat_member: member } = update;
  const { callback_query: query, message_reaction: reaction } = update;
  if (message?.chat.type === 'private') return readMessage(updateId, message);
  if (edited?.chat.type === 'private') {
    const text = writtenIn(edited);
    if (text !== null) return { kind: 'edit', updateId, ...placeOf(edited), messageId: idOf(edited), text };
  }
  if (member?.chat.type === 'private') {
    const isReachable = member.new_chat_member.status !== 'kicked';
    return { kind: 'reachable', updateId, person: personOf(member.chat), isReachable };
  }
  if (query) return readPress(updateId, query);
  if (reaction?.chat.type === 'private') return readReaction(updateId, reaction);
  return { kind: 'nothing', updateId };
}

function readPress(updateId: number, { id, data, message }: CallbackQuery): Reading {
  if (message?.chat.type !== 'private' || data === undefined) return { kind: 'nothing', updateId };
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  const label = buttons.find(({ callback_data: own }) => own === data)?.text ?? labelIn(data);
  if (label === null) return { kind: 'nothing', updateId };
  return { kind: 'press', updateId, ...placeOf(message), queryId: id, messageId: idOf(message), label };
}

function readReaction(updateId: number, { chat, message_id: id, ...reactions }: ReactionUpdate): Reading {
  const before = emojiOf(reactions.old_reaction);
  const now = emojiOf(reactions.new_reaction);
  const removed = before.filter((emoji) => !now.includes(emoji)).map((emoji) => ({ emoji, isAdded: false }));
  const added = now.filter((emoji) => !before.includes(emoji)).map((emoji) => ({ emoji, isAdded: true }));
  return {
    kind: 'reaction',
    updateId,
    person: personOf(chat),
    messageId: `${id}`,
    changes: [...removed, ...added],
  };
}

function emojiOf(reactions: readonly ReactionType[]): string[] {
  return reactions.flatMap(({ emoji, custom_emoji_id: customId }) => emoji ?? customId ?? []);
}

function readMessage(updateId: number, message: Message): Reading {
  const content = contentOf(message);
  if (content === null) return { kind: 'nothing', updateId };
  return {
    kind: 'message',
    updateId,
    lastUpdateId: updateId,
    ...placeOf(message),
    messageId: idOf(message),
    sentAt: new Date(message.date * 1_000).toISOString(),
    albumId: message.media_group_id ?? null,
    ...content,
  };
}

/** Private chats may have topics, which are threads of their own (https://core.telegram.org/bots/api#message). */
function placeOf({
  chat,
  message_thread_id: thread,
  is_topic_message: isInTopic,
}: Pick<Message, 'chat' | 'message_thread_id' | 'is_topic_message'>) {
  return { person: personOf(chat), thread: isInTopic && thread !== undefined ? String(thread) : null };
}

function idOf({ message_id: id }: Pick<Message, 'message_id'>): string {
  return String(id);
}

function personOf({ id, first_name: first, last_name: last, username }: Chat): Person {
  const name = [first, last].filter(Boolean).join(' ');
  return { remoteId: String(id), remoteName: name || (username ?? null) };
}
