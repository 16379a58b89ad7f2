import type { InboundFile } from '../../contract/messenger.ts';
import { quoted } from '../../kit/quoted-text.ts';
import { type Message, personName } from '../objects.ts';

const MENTION = /<@!?(\d{1,20})>/g;

/** Stands in for a message that its author has deleted. */
export const DELETED_TEXT = '[message deleted]';

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

/** Returns the text as agents read it, with what a reply refers to in front. */
export function textOf(message: Message, botUserId: string): string {
  const forwarded = (message.message_snapshots ?? []).map(({ message: { content } }) => content ?? '');
  const stickers = (message.sticker_items ?? []).map(({ name }) => `[sticker: ${name}]`);
  const lines = [quoteOf(message), plainText(message, botUserId), ...forwarded, ...stickers];
  return lines.filter((line) => line !== '').join('\n');
}

/** Returns the attachments. A reference names the message, since a file's URL is valid for some hours only. */
export function filesOf({ channel_id: channelId, id, attachments }: Message): InboundFile[] {
  return (attachments ?? []).map((file) => ({
    name: file.filename,
    mime: file.content_type ?? 'application/octet-stream',
    sizeBytes: file.size ?? null,
    ref: `${channelId}/${id}/${file.id}`,
  }));
}

function quoteOf({ referenced_message: answered }: Message): string {
  return quoted(answered?.author === undefined ? '' : personName(answered.author), answered?.content ?? '');
}
