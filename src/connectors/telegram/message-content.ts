import type { AnsweredMessage, InboundFile } from '../contract/messenger.ts';
import { forwarded, linesOf } from '../kit/text-lines.ts';
import type { Chat, Message, Origin, OtherContent, Place, User, WithFile } from './bot-api-types.ts';
import type { OwnBot } from './mentions.ts';
import { fileIn } from './message-file.ts';
import { messageIdIn } from './message-ids.ts';
import { richContent } from './rich-text.ts';
import { readableText } from './text-links.ts';

/** Content of a message as text and files, and what it answers. */
export interface InboundContent {
  readonly text: string;
  readonly files: readonly InboundFile[];
  readonly replyTo: AnsweredMessage | undefined;
}

/**
 * Returns the content of a message; null for service messages such as a pinned message or a timer change. `bot`: whose name is
 * taken out of the text.
 */
export function contentOf(message: Message, bot: OwnBot | null = null): InboundContent | null {
  const files = filesIn(message);
  const own = writtenIn(message, bot) ?? message.sticker?.emoji ?? describedContent(message);
  if (files.length === 0 && own === null) return null;
  return {
    text: linesOf([forwardedLine(message), own ?? '']),
    files,
    replyTo: answeredIn(message),
  };
}

/** Returns what somebody has written, and may edit: the text, caption or list; null: nothing. */
export function writtenIn(message: Message, bot: OwnBot | null = null): string | null {
  const {
    text,
    entities,
    caption,
    caption_entities: captionEntities,
    checklist,
    rich_message: rich,
  } = message;
  if (text !== undefined) return readableText(text, entities, bot);
  if (caption !== undefined) return readableText(caption, captionEntities, bot);
  if (rich) return richContent(rich.blocks).text;
  if (!checklist) return null;
  const tasks = checklist.tasks.map((task) => `[${task.completion_date ? 'x' : ' '}] ${task.text}`);
  return [`[checklist: ${checklist.title}]`, ...tasks].join('\n');
}

/** Returns what the person answers: the words that they have picked, or the whole message. Undefined: nothing. */
function answeredIn(message: Message): AnsweredMessage | undefined {
  const { reply_to_message: answered, external_reply: external, reply_to_story: story, quote } = message;
  if (answered?.forum_topic_created) return undefined;
  if (answered) {
    return {
      platformMessageId: messageIdIn(answered.chat.id, answered.message_id),
      author: authorOf(answered) || null,
      text: quote?.text ?? writtenIn(answered) ?? describedContent(answered) ?? '',
      files: filesIn(answered),
    };
  }
  if (story) return { platformMessageId: null, author: chatName(story.chat) || null, text: '[story]' };
  if (!external && !quote) return undefined;
  return {
    platformMessageId: null,
    author: originName(external?.origin) || null,
    text: quote?.text ?? (external && describedContent(external)) ?? '',
    files: external ? filesIn(external) : [],
  };
}

function filesIn(message: WithFile & Pick<OtherContent, 'rich_message'>): InboundFile[] {
  const media = richContent(message.rich_message?.blocks ?? []).media;
  const all = [message, ...media.map((each) => ({ ...each, message_id: message.message_id }))];
  return all.flatMap((each) => fileIn(each) ?? []);
}

function forwardedLine({ forward_origin: origin }: Message): string {
  if (!origin) return '';
  return forwarded(originName(origin));
}

/** https://core.telegram.org/bots/api#messageorigin */
function originName(origin: Origin | undefined): string {
  if (!origin) return '';
  const { sender_user: user, sender_user_name: hidden, sender_chat: sender, chat } = origin;
  return nameOf(user) || hidden || (sender ?? chat)?.title || '';
}

function chatName(chat: Chat): string {
  return nameOf(chat) || (chat.title ?? '');
}

/** Returns the name in which a message is written: of a person, or of the chat that they speak for. */
export function authorOf({ from, sender_chat: chat, author_signature: title }: Message): string {
  return chat ? title || chat.title || '' : nameOf(from);
}

function nameOf(user: Omit<User, 'id'> | undefined): string {
  return [user?.first_name, user?.last_name].filter(Boolean).join(' ') || (user?.username ?? '');
}

/** Describes content that is neither text nor a file. */
function describedContent(message: OtherContent): string | null {
  const { contact, venue, location, poll, dice } = message;
  if (contact) return `[contact: ${nameOf(contact)}, ${contact.phone_number}]`;
  if (venue) return `[place: ${venue.title}, ${venue.address}, ${coordinates(venue.location)}]`;
  if (location) return `[location: ${coordinates(location)}]`;
  if (poll)
    return [`[poll: ${poll.question}]`, ...(poll.options ?? []).map(({ text }) => `- ${text}`)].join('\n');
  if (dice) return `[${dice.emoji} ${dice.value}]`;
  return sharedContent(message) ?? changedTasks(message) ?? sentByApp(message);
}

/** What the person has done with a checklist. */
function changedTasks({
  checklist_tasks_done: done,
  checklist_tasks_added: added,
}: OtherContent): string | null {
  const count = (ids: readonly number[] = []) => ids.length;
  if (done) {
    const [ticked, unticked] = [count(done.marked_as_done_task_ids), count(done.marked_as_not_done_task_ids)];
    return `[checklist: ${ticked} done, ${unticked} not done any more]`;
  }
  return added ? ['[checklist: added]', ...added.tasks.map(({ text }) => `[ ] ${text}`)].join('\n') : null;
}

/** What the person has passed on from elsewhere. */
function sharedContent(message: OtherContent): string | null {
  const { story, paid_media: paid, game, users_shared: users, chat_shared: chat } = message;
  if (story) return `[story of ${chatName(story.chat) || 'somebody'}]`;
  if (paid) return `[paid media: ${paid.paid_media.length} for ${paid.star_count} stars]`;
  if (game) return `[game: ${game.title}]`;
  if (message.giveaway) return '[giveaway]';
  if (users) return `[shared people: ${users.users.map((user) => nameOf(user) || user.user_id).join(', ')}]`;
  return chat ? `[shared chat: ${chat.title || chat.chat_id}]` : null;
}

/** What an app that the person has used in the chat says. */
function sentByApp({
  web_app_data: app,
  invoice,
  successful_payment: payment,
  gift,
  unique_gift: unique,
  passport_data: passport,
}: OtherContent): string | null {
  if (app) return `[answer of ${app.button_text}: ${app.data}]`;
  if (invoice) return `[invoice: ${invoice.title}]`;
  if (payment) return `[paid: ${payment.total_amount} ${payment.currency}, ${payment.invoice_payload}]`;
  if (passport) return '[passport data]';
  return gift || unique ? '[gift]' : null;
}

function coordinates({ latitude, longitude }: Place): string {
  return `${latitude}, ${longitude}`;
}
