import type { InboundFile } from '../contract/messenger.ts';
import {
  type AnyUpdate,
  type Chat,
  type Message,
  type Place,
  type StoredFile,
  Update,
} from './bot-api-types.ts';

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
      readonly messageId: string;
      readonly text: string;
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
export const READ_UPDATES = ['message', 'edited_message', 'my_chat_member'] as const;

/** Reads an update. Only private chats count; group messages are ignored. */
export function readingOf(update: AnyUpdate): Reading {
  const parsed = Update.safeParse(update);
  return parsed.success ? read(parsed.data) : { kind: 'unreadable', updateId: update.update_id };
}

function read(update: Update): Reading {
  const { update_id: updateId, message, edited_message: edited, my_chat_member: member } = update;
  if (message?.chat.type === 'private') return readMessage(updateId, message);
  if (edited?.chat.type === 'private') {
    const text = edited.text ?? edited.caption;
    if (text !== undefined) {
      return { kind: 'edit', updateId, person: personOf(edited.chat), messageId: idOf(edited), text };
    }
  }
  if (member?.chat.type === 'private') {
    const isReachable = member.new_chat_member.status !== 'kicked';
    return { kind: 'reachable', updateId, person: personOf(member.chat), isReachable };
  }
  return { kind: 'nothing', updateId };
}

function readMessage(updateId: number, message: Message): Reading {
  const content = contentOf(message);
  if (content === null) return { kind: 'nothing', updateId };
  return {
    kind: 'message',
    updateId,
    lastUpdateId: updateId,
    person: personOf(message.chat),
    messageId: idOf(message),
    sentAt: new Date(message.date * 1_000).toISOString(),
    albumId: message.media_group_id ?? null,
    ...content,
  };
}

function idOf({ message_id: id }: Message): string {
  return String(id);
}

function personOf({ id, first_name: first, last_name: last, username }: Chat): Person {
  const name = [first, last].filter(Boolean).join(' ');
  return { remoteId: String(id), remoteName: name || (username ?? null) };
}

/** Content of a message as text and files. */
export interface InboundContent {
  readonly text: string;
  readonly files: readonly InboundFile[];
}

/** Larger files are not available to bots (https://core.telegram.org/bots/api#getfile). */
const MAX_DOWNLOAD_BYTES = 20_000_000;

/** Returns the content of a message; null for service messages such as a pinned message or a timer change. */
export function contentOf(message: Message): InboundContent | null {
  const file = fileIn(message);
  const text = message.text ?? message.caption ?? message.sticker?.emoji ?? describedContent(message);
  if (file === null && text === null) return null;
  return { text: text ?? '', files: file === null ? [] : [file] };
}

/** Returns the file of a message; a message has at most one. */
function fileIn(message: Message): InboundFile | null {
  const { photo, animation, document, voice, audio, video, video_note: note, sticker } = message;
  const named = (kind: string, ending: string) => `${kind}_${message.message_id}.${ending}`;
  if (photo?.length) return inbound(bestSize(photo), named('photo', 'jpg'), 'image/jpeg');
  if (animation) return inbound(animation, named('animation', 'mp4'), 'video/mp4');
  if (document) return inbound(document, named('document', 'bin'), 'application/octet-stream');
  if (voice) return inbound(voice, named('voice', 'ogg'), 'audio/ogg');
  if (audio) return inbound(audio, named('audio', 'mp3'), 'audio/mpeg');
  if (video) return inbound(video, named('video', 'mp4'), 'video/mp4');
  if (note) return inbound(note, named('video_note', 'mp4'), 'video/mp4');
  return sticker ? stickerFile(sticker, named) : null;
}

function stickerFile(
  sticker: NonNullable<Message['sticker']>,
  named: (kind: string, ending: string) => string,
): InboundFile {
  if (sticker.is_video) return inbound(sticker, named('sticker', 'webm'), 'video/webm');
  if (sticker.is_animated) return inbound(sticker, named('sticker', 'tgs'), 'application/x-tgsticker');
  return inbound(sticker, named('sticker', 'webp'), 'image/webp');
}

/** The largest size that a bot can download, or the smallest when none can be downloaded. */
function bestSize(sizes: readonly StoredFile[]): StoredFile {
  return sizes.findLast(isGiven) ?? sizes[0]!;
}

function isGiven({ file_size: sizeBytes = 0 }: StoredFile): boolean {
  return sizeBytes <= MAX_DOWNLOAD_BYTES;
}

function inbound(file: StoredFile, name: string, mime: string): InboundFile {
  return {
    name: file.file_name ?? name,
    mime: file.mime_type ?? mime,
    sizeBytes: file.file_size ?? null,
    ref: isGiven(file) ? file.file_id : null,
  };
}

/** Describes content that is neither text nor a file. */
function describedContent({ contact, venue, location, poll, dice }: Message): string | null {
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
    return `[contact: ${name}, ${contact.phone_number}]`;
  }
  if (venue) return `[place: ${venue.title}, ${venue.address}, ${coordinates(venue.location)}]`;
  if (location) return `[location: ${coordinates(location)}]`;
  if (poll) return `[poll: ${poll.question}]`;
  return dice ? `[${dice.emoji} ${dice.value}]` : null;
}

function coordinates({ latitude, longitude }: Place): string {
  return `${latitude}, ${longitude}`;
}
