import type { InboundFile } from '../contract/messenger.ts';
import type { Message, Place, StoredFile } from './bot-api-types.ts';

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
