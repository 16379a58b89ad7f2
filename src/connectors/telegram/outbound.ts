import { match } from '../../base/match.ts';
import type { Clock } from '../../base/time.ts';
import type { OutboundFile, OutboundMessage, Remedy, SendOutcome } from '../contract/messenger.ts';
import { PlatformFailure } from '../kit/platform-failure.ts';
import { codePoints, outcomeOf, type SendRules, sendParts } from '../kit/sending.ts';
import { SentMessages } from './bot-api-types.ts';
import type { BotApi, CallOptions, Parameters } from './client.ts';
import { formatted } from './formatting.ts';

/** How a file is displayed, under Telegram's name in both methods and fields. */
type MediaKind = 'photo' | 'video' | 'animation' | 'audio' | 'voice' | 'document';

/** One request to Telegram. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly media: Media; readonly caption: string }
  /** 2 to 10 files of kinds that can share an album. */
  | { readonly kind: 'album'; readonly media: readonly Media[]; readonly caption: string };

interface Media {
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
function asDocuments(part: Part): Part | null {
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

const TEXT_DEADLINE_MS = 20_000;
const UPLOAD_DEADLINE_MS = 120_000;

/** Errors that mean the person is unreachable until they write again. */
const ADDRESS_GONE =
  /bot was blocked by the user|user is deactivated|chat not found|bot can't initiate conversation/i;

const RULES: SendRules = {
  retryMs: 1_000,
  isGone: ({ message }) => ADDRESS_GONE.test(message),
};

/** The sending bot and the chat to send to. */
export interface Chat {
  readonly api: BotApi;
  readonly clock: Clock;
  readonly chatId: string;
  /** The topic of the chat; null: none. */
  readonly thread: string | null;
  readonly signal: AbortSignal;
  /** Called when Telegram no longer accepts the bot's token. */
  loggedOut(failure: PlatformFailure): void;
}

/** Sends a message. Telegram neither tells whether a part has arrived nor drops duplicates. */
export async function sendMessage(chat: Chat, message: OutboundMessage): Promise<SendOutcome> {
  return await sendParts({
    parts: partsOf(message),
    send: (part) => sendOrPlainer(chat, part),
    patience: { ...chat, ...RULES },
    failed: (error, sentIds) => {
      if (error instanceof PlatformFailure && error.isLoggedOut) chat.loggedOut(error);
      return outcomeOf(error, sentIds, RULES);
    },
  });
}

/**
 * Sends a part, and once more in a plainer form when Telegram rejected its formatting or file. Nothing has arrived in
 * that case.
 */
async function sendOrPlainer(chat: Chat, part: Part): Promise<string[]> {
  try {
    return await send(chat, part, true);
  } catch (error) {
    const plainer = error instanceof PlatformFailure ? plainerThan(part, error) : null;
    if (plainer === null) throw error;
    return await send(chat, plainer.part, plainer.isFormatted);
  }
}

/**
 * Telegram's errors for unusable files, such as PHOTO_INVALID_DIMENSIONS. `UNFORMATTABLE` matches errors about
 * entities.
 */
const UNUSABLE = /PHOTO|IMAGE|VIDEO|AUDIO|VOICE|MEDIA|DOCUMENT|wrong (?:type|file)|can't use the media|media/;
const UNFORMATTABLE = /entit/i;

function plainerThan(
  part: Part,
  { kind, status, message }: PlatformFailure,
): { part: Part; isFormatted: boolean } | null {
  if (kind !== 'refused' || status !== 400) return null;
  if (UNFORMATTABLE.test(message)) return { part, isFormatted: false };
  const documents = UNUSABLE.test(message) ? asDocuments(part) : null;
  return documents && { part: documents, isFormatted: true };
}

async function send(
  { api, chatId, thread, signal }: Chat,
  part: Part,
  isFormatted: boolean,
): Promise<string[]> {
  const { method, parameters, files } = requestOf(part, isFormatted);
  const deadlineMs = files.size > 0 ? UPLOAD_DEADLINE_MS : TEXT_DEADLINE_MS;
  const options: CallOptions = { deadlineMs, signal, files };
  const sent = await api.call(method, { ...placeIn(chatId, thread), ...parameters }, options, SentMessages);
  return sent.map(({ message_id: id }) => String(id));
}

/** The parameters that name a chat and its topic. */
export function placeIn(chatId: string, thread: string | null): Parameters {
  return { chat_id: Number(chatId), ...(thread === null ? {} : { message_thread_id: Number(thread) }) };
}

interface Request {
  readonly method: string;
  readonly parameters: Parameters;
  readonly files: ReadonlyMap<string, OutboundFile>;
}

function requestOf(part: Part, isFormatted: boolean): Request {
  return match(part, 'kind', {
    text: (part) => ({
      method: 'sendMessage',
      parameters: textFields('text', 'entities', part.text, isFormatted),
      files: new Map(),
    }),
    media: (part) => mediaRequest(part, isFormatted),
    album: (part) => albumRequest(part, isFormatted),
  });
}

function mediaRequest(
  { media: { kind, file }, caption }: Extract<Part, { kind: 'media' }>,
  isFormatted: boolean,
) {
  const parameters = {
    [kind]: 'attach://file0',
    ...documentFields(kind),
    ...textFields('caption', 'caption_entities', caption, isFormatted),
  };
  const method = `send${kind[0]!.toUpperCase()}${kind.slice(1)}`;
  return { method, parameters, files: new Map([['file0', file]]) };
}

function albumRequest({ media, caption }: Extract<Part, { kind: 'album' }>, isFormatted: boolean): Request {
  const items = media.map(({ kind }, index) => ({
    type: kind,
    media: `attach://file${index}`,
    ...documentFields(kind),
    ...(index === 0 ? textFields('caption', 'caption_entities', caption, isFormatted) : {}),
  }));
  const files = new Map(media.map(({ file }, index) => [`file${index}`, file]));
  return { method: 'sendMediaGroup', parameters: { media: items }, files };
}

/** Stops Telegram from detecting a document's content type, so that it stays a document. */
function documentFields(kind: string): Parameters {
  return kind === 'document' ? { disable_content_type_detection: true } : {};
}

function textFields(
  textName: string,
  entitiesName: string,
  source: string,
  isFormatted: boolean,
): Parameters {
  if (source === '') return {};
  if (!isFormatted) return { [textName]: source };
  const { text, entities } = formatted(source);
  return { [textName]: text, ...(entities.length > 0 ? { [entitiesName]: entities } : {}) };
}

/** Telegram's descriptions of failures that people can solve. */
export const TELEGRAM_REMEDIES: readonly Remedy[] = [
  {
    words: /bot was blocked by the user/i,
    suggestion: 'Unblock the bot in Telegram, then send it a message.',
  },
  {
    words: /chat not found|bot can't initiate conversation/i,
    suggestion:
      'Open the bot in Telegram and press Start: bots may only write to people who have written to them.',
  },
  {
    words: /user is deactivated/i,
    suggestion:
      'The Telegram account was deleted. Write to the bot from another one, and make that the owner.',
  },
];
