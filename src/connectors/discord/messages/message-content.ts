import type { AnsweredMessage, InboundFile } from '../../contract/messenger.ts';
import { forwarded, linesOf } from '../../kit/text-lines.ts';
import { type Attachment, type Content, type Embed, type Message, personName } from '../objects.ts';
import { componentText } from './component-text.ts';

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const IS_VOICE_MESSAGE = 1 << 13;
const MENTION = /<@!?(\d{1,20})>/g;

/** Returns whether the bot is addressed: by a mention, or by a reply that notifies it. */
export function mentions({ mentions: people }: Message, botUserId: string): boolean {
  return (people ?? []).some(({ id }) => id === botUserId);
}

/** Returns what was written, without the bot's own mention and with the names of others instead of their ids. */
export function plainText({ content, mentions: people }: Message, botUserId: string): string {
  const names = new Map((people ?? []).map((each) => [each.id, personName(each)]));
  const named = content.replace(MENTION, (mention, id: string) => {
    if (id === botUserId) return '';
    const name = names.get(id);
    return name === undefined ? mention : `@${name}`;
  });
  return named.trim();
}

/** Returns the text as agents read it. */
export function textOf(message: Message, botUserId: string): string {
  const passedOn = (message.message_snapshots ?? []).map(({ message: content }) =>
    linesOf([forwarded(''), wordsOf(content)]),
  );
  const own = wordsOf({ ...message, content: plainText(message, botUserId) });
  return linesOf([own, pollIn(message), activityIn(message), themeIn(message), ...passedOn]);
}

/** Returns what a message answers; undefined: nothing, or what was deleted. */
export function answeredIn({
  channel_id: channelId,
  referenced_message: answered,
}: Message): AnsweredMessage | undefined {
  if (!answered) return undefined;
  return {
    platformMessageId: answered.id,
    author: answered.author ? personName(answered.author) : null,
    text: wordsOf(answered),
    files: (answered.attachments ?? []).map((file) => inboundFile(file, channelId, answered.id)),
  };
}

/** Returns the attachments. A reference names the message, since a file's URL is valid for some hours only. */
export function filesOf(message: Message): InboundFile[] {
  return contentsOf(message).flatMap(({ attachments = [], flags = 0 }) =>
    attachments.map((file) => ({
      ...inboundFile(file, message.channel_id, message.id),
      ...((flags & IS_VOICE_MESSAGE) !== 0 && { isVoiceNote: true as const }),
    })),
  );
}

function inboundFile(file: Attachment, channelId: string, messageId: string): InboundFile {
  return {
    name: file.filename,
    mime: file.content_type ?? 'application/octet-stream',
    sizeBytes: file.size ?? null,
    ref: `${channelId}/${messageId}/${file.id}`,
  };
}

/** Returns the attachments of a message, and of what it forwards. */
export function attachmentsOf(message: Message): Attachment[] {
  return contentsOf(message).flatMap(({ attachments = [] }) => attachments);
}

function contentsOf(message: Message): readonly Content[] {
  return [message, ...(message.message_snapshots ?? []).map(({ message: content }) => content)];
}

/** Embeds beside words are previews of links. Alone, they are what the message says. */
function wordsOf({
  content = '',
  embeds = [],
  sticker_items: stickers = [],
  components = [],
}: Content): string {
  const shown = content === '' ? [...embeds.map(embedText), componentText(components)] : [content];
  return linesOf([...shown, ...stickers.map(({ name }) => `[sticker: ${name}]`)]);
}

/** What has no words is named by its type. */
function embedText(embed: Embed): string {
  const { type = '', title = '', description = '', url = '', fields = [], author, footer, image } = embed;
  const head = title !== '' && url !== '' ? `[${title}](${url})` : title || (description === '' ? url : '');
  const more = fields.map(({ name, value }) => `${name}: ${value}`);
  const words = linesOf([author?.name ?? '', head, description, ...more, footer?.text ?? '']);
  return words || image?.url || (type === '' ? '' : `[${type}]`);
}

function activityIn({ activity, application }: Message): string {
  return activity === undefined ? '' : `[activity: ${application?.name ?? 'unknown'}]`;
}

function themeIn({ shared_client_theme: theme }: Message): string {
  return theme === undefined ? '' : '[shared_client_theme]';
}

function pollIn({ poll }: Message): string {
  if (!poll) return '';
  const answers = poll.answers.map(({ poll_media: { text, emoji } }) => `- ${text ?? emoji?.name ?? ''}`);
  return [`[poll: ${poll.question.text ?? ''}]`, ...answers].join('\n');
}
