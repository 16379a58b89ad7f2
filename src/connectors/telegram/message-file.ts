import type { InboundFile } from '../contract/messenger.ts';
import type { Message, StoredFile, WithFile } from './bot-api-types.ts';

/** Larger files are not available to bots (https://core.telegram.org/bots/api#getfile). */
const MAX_DOWNLOAD_BYTES = 20_000_000;

/** Returns the file of a message; a message has at most one. */
export function fileIn(message: WithFile): InboundFile | null {
  const { photo, animation, document, voice, audio, video, video_note: note, sticker } = message;
  const named = (kind: string, ending: string) => `${kind}_${message.message_id}.${ending}`;
  if (photo?.length) return inbound(bestSize(photo), named('photo', 'jpg'), 'image/jpeg');
  if (animation) return inbound(animation, named('animation', 'mp4'), 'video/mp4');
  if (document) return inbound(document, named('document', 'bin'), 'application/octet-stream');
  if (voice) return { ...inbound(voice, named('voice', 'ogg'), 'audio/ogg'), isVoiceNote: true };
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
