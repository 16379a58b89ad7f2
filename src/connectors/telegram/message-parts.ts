import type { OutboundFile, OutboundMessage } from '../contract/messenger.ts';
import { codePoints } from '../kit/sending.ts';
import { formatted } from './formatting.ts';

/** How a file is displayed, under Telegram's name in both methods and fields. */
type MediaKind = 'photo' | 'video' | 'animation' | 'audio' | 'voice' | 'document';

/** One request to Telegram. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly media: Media; readonly caption: string }
  /** 2 to 10 files of kinds that can share an album. */
  | { readonly kind: 'album'; readonly media: readonly Media[]; readonly caption: string };

export interface Media {
  readonly kind: MediaKind;
  readonly file: OutboundFile;
}

/** Limits from https://core.telegram.org/bots/api#sendmessage and the methods below it. Characters are code points. */
export const MAX_TEXT_CHARACTERS = 4_096;
const MAX_CAPTION_CHARACTERS = 1_024;
const MAX_PHOTO_BYTES = 10_000_000;
const MAX_ALBUM_SIZE = 10;

const KIND_OF_MIME: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'animation',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp3': 'audio',
  'audio/mp4': 'audio',
  'audio/x-m4a': 'audio',
  'audio/ogg': 'voice',
};

/** Albums by kind: photos and videos mix, audio and documents each form their own. Other kinds are sent alone. */
const ALBUM_OF: Readonly<Record<MediaKind, string | null>> = {
  photo: 'visual',
  video: 'visual',
  audio: 'audio',
  document: 'document',
  animation: null,
  voice: null,
};

/** Returns the requests that send a message, in order. Text too long for a caption is sent before the files. */
export function partsOf({ text, attachments }: OutboundMessage): Part[] {
  if (attachments.length === 0) return [{ kind: 'text', text }];
  const isCaption = characters(text) <= MAX_CAPTION_CHARACTERS;
  const media = attachments.map((file) => ({ kind: kindOf(file), file }));
  const parts = groups(media).map((group, index) => partOf(group, isCaption && index === 0 ? text : ''));
  return isCaption ? parts : [{ kind: 'text', text }, ...parts];
}

/**
 * Returns the part with its files as documents, for files that Telegram rejects as photo, video and so on; null when
 * there is nothing to change.
 */
export function asDocuments(part: Part): Part | null {
  const media = part.kind === 'text' ? [] : [part.media].flat();
  if (media.every(({ kind }) => kind === 'document')) return null;
  const documents = media.map(({ file }) => ({ kind: 'document' as const, file }));
  return partOf(documents, part.kind === 'text' ? '' : part.caption);
}

/** Number of visible code points, as counted by Telegram's server: marks have become entities by then. */
export function characters(source: string): number {
  return codePoints(formatted(source).text);
}

function kindOf({ mime, sizeBytes }: OutboundFile): MediaKind {
  const kind = KIND_OF_MIME[mime.split(';', 1)[0]!.trim().toLowerCase()] ?? 'document';
  return kind === 'photo' && sizeBytes > MAX_PHOTO_BYTES ? 'document' : kind;
}

function groups(media: readonly Media[]): Media[][] {
  const all: Media[][] = [];
  for (const each of media) {
    const group = all.at(-1);
    const album = ALBUM_OF[each.kind];
    const fits = album !== null && group !== undefined && album === ALBUM_OF[group[0]!.kind];
    if (fits && group.length < MAX_ALBUM_SIZE) group.push(each);
    else all.push([each]);
  }
  return all;
}

function partOf(group: readonly Media[], caption: string): Part {
  const [first] = group;
  return group.length === 1 && first
    ? { kind: 'media', media: first, caption }
    : { kind: 'album', media: group, caption };
}
