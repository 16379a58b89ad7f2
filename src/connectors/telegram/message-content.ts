import type { AnsweredMessage, InboundFile } from '../contract/messenger.ts';
import { forwarded, linesOf } from '../kit/text-lines.ts';
import type { Message, Origin, Place, User } from './bot-api-types.ts';
import { fileIn } from './message-file.ts';
import { withLinks } from './text-links.ts';

/** Content of a message as text and files, and what it answers. */
export interface InboundContent {
  readonly text: string;
  readonly files: readonly InboundFile[];
  readonly replyTo: AnsweredMessage | undefined;
}

/** Returns the content of a message; null for service messages such as a pinned message or a timer change. */
export function contentOf(message: Message): InboundContent | null {
  const file = fileIn(message);
  const own = writtenIn(message) ?? message.sticker?.emoji ?? describedContent(message);
  if (file === null && own === null) return null;
  return {
    text: linesOf([forwardedLine(message), own ?? '']),
    files: file === null ? [] : [file],
    replyTo: answeredIn(message),
  };
}

/** Returns what somebody has written, and may edit: the text, caption or list; null: nothing. */
export function writtenIn(message: Message): string | null {
  const { text, entities, caption, caption_entities: captionEntities, checklist } = message;
  if (text !== undefined) return withLinks(text, entities);
  if (caption !== undefined) return withLinks(caption, captionEntities);
  if (!checklist) return null;
  const tasks = checklist.tasks.map((task) => `[${task.completion_date ? 'x' : ' '}] ${task.text}`);
  return [`[checklist: ${checklist.title}]`, ...tasks].join('\n');
}

/** Returns what the person answers: the words that they have picked, or the whole message. Undefined: nothing. */
function answeredIn(message: Message): AnsweredMessage | undefined {
  const { reply_to_message: answered, external_reply: external, quote } = message;
  if (answered?.forum_topic_created) return undefined;
  if (answered) {
    const file = fileIn(answered);
    return {
      platformMessageId: String(answered.message_id),
      author: nameOf(answered.from) || null,
      text: quote?.text ?? writtenIn(answered) ?? describedContent(answered) ?? '',
      files: file === null ? [] : [file],
    };
  }
  if (!external && !quote) return undefined;
  const file = external ? fileIn(external) : null;
  return {
    platformMessageId: null,
    author: originName(external?.origin) || null,
    text: quote?.text ?? '',
    files: file === null ? [] : [file],
  };
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

function nameOf(user: Omit<User, 'id'> | undefined): string {
  return [user?.first_name, user?.last_name].filter(Boolean).join(' ') || (user?.username ?? '');
}

/** Describes content that is neither text nor a file. */
function describedContent(message: Message): string | null {
  const { contact, venue, location, poll, dice } = message;
  if (contact) return `[contact: ${nameOf(contact)}, ${contact.phone_number}]`;
  if (venue) return `[place: ${venue.title}, ${venue.address}, ${coordinates(venue.location)}]`;
  if (location) return `[location: ${coordinates(location)}]`;
  if (poll)
    return [`[poll: ${poll.question}]`, ...(poll.options ?? []).map(({ text }) => `- ${text}`)].join('\n');
  if (dice) return `[${dice.emoji} ${dice.value}]`;
  return sharedContent(message) ?? sentByApp(message);
}

/** What the person has passed on from elsewhere. */
function sharedContent(message: Message): string | null {
  const { story, paid_media: paid, game, users_shared: users, chat_shared: chat } = message;
  if (story) return `[story of ${nameOf(story.chat) || story.chat.title || 'somebody'}]`;
  if (paid) return `[paid media: ${paid.paid_media.length} for ${paid.star_count} stars]`;
  if (game) return `[game: ${game.title}]`;
  if (users) return `[shared people: ${users.users.map((user) => nameOf(user) || user.user_id).join(', ')}]`;
  return chat ? `[shared chat: ${chat.title || chat.chat_id}]` : null;
}

/** What an app that the person has used in the chat says. */
function sentByApp({
  web_app_data: app,
  invoice,
  successful_payment: payment,
  gift,
}: Message): string | null {
  if (app) return `[answer of ${app.button_text}: ${app.data}]`;
  if (invoice) return `[invoice: ${invoice.title}]`;
  if (payment) return `[paid: ${payment.total_amount} ${payment.currency}, ${payment.invoice_payload}]`;
  return gift ? '[gift]' : null;
}

function coordinates({ latitude, longitude }: Place): string {
  return `${latitude}, ${longitude}`;
}
