import type { InboundFile } from '../contract/messenger.ts';
import type { WireMedia, WireMessage } from './webhook-payload.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

/** Returns the file of a message as Meta names it; undefined: it has none. */
export function mediaOf({
  type,
  image,
  audio,
  video,
  document,
  sticker,
}: WireMessage): WireMedia | undefined {
  return new Map([
    ['image', image],
    ['audio', audio],
    ['video', video],
    ['document', document],
    ['sticker', sticker],
  ]).get(type);
}

/** Returns the files that can be fetched. Messages carry no sizes. */
export function filesOf(message: WireMessage): InboundFile[] {
  const media = mediaOf(message);
  if (!media) return [];
  const mime = media.mime_type.split(';')[0]!.trim();
  const name = media.filename || `${media.voice ? 'voice' : message.type}.${EXTENSIONS[mime] ?? 'bin'}`;
  return [{ name, mime, sizeBytes: null, ref: media.id, ...(media.voice && { isVoiceNote: true }) }];
}
