import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/time.ts';
import type { OutboundFile, OutboundMessage, OutboundReaction, SendOutcome } from '../contract/messenger.ts';
import { PlatformFailure } from '../kit/platform-failure.ts';
import { outcomeOf, type SendRules, sendParts } from '../kit/sending.ts';
import { SentMessages } from './bot-api-types.ts';
import { keyboardOf } from './buttons.ts';
import { type BotApi, type CallOptions, GroupMigrated, type Parameters } from './client.ts';
import { formatted } from './formatting.ts';
import { messageIdIn, numberIn } from './message-ids.ts';
import { asDocuments, type Part, partsOf } from './message-parts.ts';

const TEXT_DEADLINE_MS = 20_000;
const UPLOAD_DEADLINE_MS = 120_000;

/** Errors that mean that nobody is reached until somebody writes again. */
const ADDRESS_GONE =
  /bot was blocked by the user|user is deactivated|chat not found|bot can't initiate conversation|bot was kicked|bot is not a member|group chat was deleted/i;

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
  /** Called when the group has become a supergroup, before anything is sent to that. */
  migrated(chatId: string): Promise<void>;
}

/** Sends a message. Telegram neither tells whether a part has arrived nor drops duplicates. */
export async function sendMessage(chat: Chat, message: OutboundMessage): Promise<SendOutcome> {
  return await sendParts({
    parts: partsOf(message).map((part, n, { length }) => ({
      ...part,
      answers: n === 0 ? (message.replyTo ?? null) : null,
      choices: n === length - 1 ? (message.choices ?? null) : null,
    })),
    send: (part) => sendWhereItIs(chat, part),
    patience: { ...chat, ...RULES },
    failed: (error, sentIds) => {
      if (error instanceof PlatformFailure && error.isLoggedOut) chat.loggedOut(error);
      return outcomeOf(error, sentIds, RULES);
    },
  });
}

/** A part, with what the message has besides. */
type WholePart = Part & Besides;

interface Besides {
  /** The id of the message that it answers; null: none. */
  readonly answers: string | null;
  readonly choices: readonly string[] | null;
}

/** Telegram tells the new id when the group has become a supergroup. */
async function sendWhereItIs(chat: Chat, part: WholePart): Promise<string[]> {
  try {
    return await sendOrPlainer(chat, part);
  } catch (error) {
    if (!(error instanceof GroupMigrated)) throw error;
    const { chatId } = error;
    await chat.migrated(chatId);
    return await sendOrPlainer({ ...chat, chatId }, part);
  }
}

/**
 * Sends a part, and once more in a plainer form when Telegram rejected its formatting or file. Nothing has arrived in
 * that case.
 */
async function sendOrPlainer(chat: Chat, part: WholePart): Promise<string[]> {
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
/** In topics, Telegram does not overlook it (https://core.telegram.org/bots/api#replyparameters). */
const NOTHING_TO_ANSWER = /message to be replied not found|replied message not found/i;

function plainerThan(
  part: WholePart,
  { kind, status, message }: PlatformFailure,
): { part: WholePart; isFormatted: boolean } | null {
  if (kind !== 'refused' || status !== 400) return null;
  if (NOTHING_TO_ANSWER.test(message)) return { part: { ...part, answers: null }, isFormatted: true };
  if (UNFORMATTABLE.test(message)) return { part, isFormatted: false };
  const documents = UNUSABLE.test(message) ? asDocuments(part) : null;
  return documents && { part: { ...part, ...documents }, isFormatted: true };
}

async function send(
  { api, chatId, thread, signal }: Chat,
  part: WholePart,
  isFormatted: boolean,
): Promise<string[]> {
  const { method, parameters, files } = requestOf(part, isFormatted);
  const deadlineMs = files.size > 0 ? UPLOAD_DEADLINE_MS : TEXT_DEADLINE_MS;
  const options: CallOptions = { deadlineMs, signal, files };
  const more = { ...placeIn(chatId, thread), ...besidesIn(chatId, part) };
  const sent = await api.call(method, { ...parameters, ...more }, options, SentMessages);
  return sent.map(({ message_id: id }) => messageIdIn(Number(chatId), id));
}

/** A message that was deleted meanwhile, or written before the group became a supergroup, is not quoted. */
function besidesIn(chatId: string, { answers, choices }: Besides): Parameters {
  const answered = answers === null ? null : numberIn(chatId, answers);
  const reply = { message_id: answered, allow_sending_without_reply: true };
  return {
    ...(answered !== null && { reply_parameters: reply }),
    ...(choices && { reply_markup: keyboardOf(choices) }),
  };
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
  switch (part.kind) {
    case 'text':
      return {
        method: 'sendMessage',
        parameters: textFields('text', 'entities', part.text, isFormatted),
        files: new Map(),
      };
    case 'media':
      return mediaRequest(part, isFormatted);
    case 'album':
      return albumRequest(part, isFormatted);
    default:
      return unreachable(part);
  }
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

/** Variation selectors, which Telegram's list of reactions leaves out (https://core.telegram.org/bots/api#reactiontypeemoji). */
const SELECTORS = /\ufe0f/g;
const CUSTOM_EMOJI = /^\d{10,20}$/;

/**
 * Returns the parameters of `setMessageReaction`: a bot has one reaction to a message at most. Null: the message was written
 * before the group became a supergroup.
 */
export function reactionParameters(
  chatId: string,
  { platformMessageId, emoji, isAdded }: OutboundReaction,
): Parameters | null {
  const messageId = numberIn(chatId, platformMessageId);
  if (messageId === null) return null;
  const type = CUSTOM_EMOJI.test(emoji)
    ? { type: 'custom_emoji', custom_emoji_id: emoji }
    : { type: 'emoji', emoji: emoji.replace(SELECTORS, '') };
  return { ...placeIn(chatId, null), message_id: messageId, reaction: isAdded ? [type] : [] };
}
