import type { AnyJson } from '../../support/any-json.ts';
import type { FormFile } from '../multipart-form.ts';
import { ApiError, badRequest } from './api-error.ts';
import type { FakeBot } from './fake-bot.ts';
import type { FakeChat } from './fake-chat.ts';
import { FakePerson, type SentKind } from './fake-person.ts';
import type { Methods, Upload } from './method-types.ts';
import type { PollRequest } from './update-queue.ts';

/** A call whose fields fit their types. */
export interface BotCall {
  readonly bot: FakeBot;
  readonly parameters: Readonly<Record<string, AnyJson>>;
  readonly uploads: ReadonlyMap<string, FormFile>;
  /** The caller went away. */
  readonly gone: AbortSignal;
  /** As only a server of one's own takes them. */
  readonly takesHttpWebhooks: boolean;
}

type Method = (call: BotCall) => unknown;

const MAX_TEXT = 4_096;
const MAX_CAPTION = 1_024;
const MAX_PHOTO_BYTES = 10_000_000;
const WEBHOOK_ACTIVE =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** The implemented methods, by names in lower case; other methods are known but not implemented. */
export const METHODS: Readonly<Partial<Record<Lowercase<keyof Methods>, Method>>> = {
  getme: ({ bot }) => ({ ...bot.user, ...ABILITIES }),
  getchatmember: ({ bot, parameters: { chat_id: id, user_id: userId } }) => {
    const group = bot.groupOf(id);
    if (!group) throw badRequest('chat not found');
    return group.memberOf(userId);
  },
  getupdates: getUpdates,
  setwebhook: setWebhook,
  deletewebhook: ({ bot, parameters }) => {
    if (parameters.drop_pending_updates) bot.updates.drop();
    bot.setWebhook(null);
    return true;
  },
  getwebhookinfo: ({ bot: { webhook, updates } }) => ({
    url: webhook?.target.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.pending.length,
    ...(webhook?.lastError ? { last_error_message: webhook.lastError } : {}),
  }),
  getfile: ({ bot, parameters }) => bot.files.prepare(parameters.file_id),
  sendchataction: (call) => {
    writable(call).typingShown += 1;
    return true;
  },
  sendmessagedraft: (call) => {
    const reader = writable(call);
    if (!(reader instanceof FakePerson)) throw badRequest('chat type is not supported');
    call.bot.limits?.count(reader.id);
    const { draft_id: id, text = '', entities = [] } = call.parameters;
    if (id === 0) throw badRequest('draft_id must be non-zero');
    if ([...text].length > MAX_TEXT) throw badRequest('message is too long');
    reader.drafts.push({ id, text, entities: within(text, entities), atMs: Date.now() });
    return true;
  },
  sendmessage: (call) => {
    const reader = writable(call);
    call.bot.limits?.count(reader.id);
    const answered = answeredBy(reader, call.parameters);
    const more = { ...topicOf(call.parameters), ...buttonsOf(call.parameters) };
    const message = call.bot.deliver(reader, { ...textOf(call.parameters), ...more });
    if (answered) reader.quotes.set(message.message_id, answered.message_id);
    return message;
  },
  setmessagereaction: (call) => {
    const reader = writable(call);
    const { message_id: id, reaction = [] } = call.parameters;
    if (!reader.message(id)) throw badRequest('message to react not found');
    for (const { emoji } of reaction)
      if (/\ufe0f/.test(emoji) || !/^\p{Emoji}/u.test(emoji)) throw badRequest('REACTION_INVALID');
    if (reaction.length > 1) throw badRequest('REACTIONS_TOO_MANY');
    reader.reactions.set(
      id,
      reaction.map(({ emoji }: { emoji: string }) => emoji),
    );
    return true;
  },
  answercallbackquery: ({ bot, parameters }) => {
    if (!bot.queries.delete(parameters.callback_query_id))
      throw badRequest('query is too old and response timeout expired or query ID is invalid');
    return true;
  },
  sendphoto: (call) => sendFile(call, 'photo'),
  senddocument: (call) => sendFile(call, 'document'),
  sendvoice: (call) => sendFile(call, 'voice'),
  sendaudio: (call) => sendFile(call, 'audio'),
  sendvideo: (call) => sendFile(call, 'video'),
  sendanimation: (call) => sendFile(call, 'animation'),
  sendmediagroup: sendMediaGroup,
};

const ABILITIES = {
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
};

function getUpdates({ bot, parameters, gone }: BotCall): unknown {
  if (bot.webhook) throw new ApiError(409, WEBHOOK_ACTIVE);
  bot.allow(parameters.allowed_updates);
  return bot.updates.poll(parameters as PollRequest, gone);
}

function setWebhook({ bot, parameters, takesHttpWebhooks }: BotCall): unknown {
  const { url, secret_token: secretToken, allowed_updates: allowed } = parameters;
  if (parameters.drop_pending_updates) bot.updates.drop();
  bot.allow(allowed);
  if (url === '') {
    bot.setWebhook(null);
    return true;
  }
  if (!url.startsWith('https://') && !takesHttpWebhooks) {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  }
  if (secretToken !== undefined && !/^[\w-]{1,256}$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters');
  }
  bot.updates.interrupt(new ApiError(409, 'Conflict: terminated by setWebhook request'));
  bot.setWebhook({ url, secretToken });
  return true;
}

/** Where the call leads, if the bot may write there. */
function writable({ bot, parameters }: BotCall): FakeChat {
  return bot.chatOf(parameters.chat_id, parameters.message_thread_id);
}

function textOf({ text, entities = [], parse_mode: mode }: BotCall['parameters']) {
  noParsing(mode);
  const trimmed = text.trim();
  if (trimmed === '') throw badRequest('message text is empty');
  if ([...text].length > MAX_TEXT) throw badRequest('message is too long');
  return { text, ...(entities.length > 0 ? { entities: within(text, entities) } : {}) };
}

/** What a message answers. */
function answeredBy(
  reader: FakeChat,
  { reply_parameters: reply, message_thread_id: topic }: BotCall['parameters'],
) {
  const answered = reply && reader.message(reply.message_id);
  // In topics of groups, none may be missing.
  const mayMiss = reply?.allow_sending_without_reply && !(reader.id < 0 && topic !== undefined);
  if (reply && !answered && !mayMiss) throw badRequest('message to be replied not found');
  return answered;
}

function buttonsOf({ reply_markup: markup }: BotCall['parameters']) {
  for (const { callback_data: data = '' } of markup?.inline_keyboard?.flat() ?? [])
    if (data === '' || Buffer.byteLength(data) > 64) throw badRequest('BUTTON_DATA_INVALID');
  return markup === undefined ? {} : { reply_markup: markup };
}

/** A topic of the chat. */
function topicOf({ message_thread_id: topic }: BotCall['parameters']) {
  return topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true };
}

function captionOf({
  caption = '',
  caption_entities: entities = [],
  parse_mode: mode,
}: BotCall['parameters']) {
  noParsing(mode);
  if ([...caption].length > MAX_CAPTION) throw badRequest('message caption is too long');
  if (caption === '') return {};
  return { caption, ...(entities.length > 0 ? { caption_entities: within(caption, entities) } : {}) };
}

function noParsing(mode: unknown): void {
  if (mode !== undefined) throw badRequest('the fake parses no markup: send entities');
}

interface Entity {
  readonly offset: number;
  readonly length: number;
}

/** Telegram truncates entities outside the text; the gateway must not rely on that. */
function within(text: string, entities: readonly Entity[]): readonly Entity[] {
  for (const { offset, length } of entities) {
    if (offset < 0 || length < 1 || offset + length > text.length) {
      throw badRequest(`entity at ${offset} of ${length} is not within the text`);
    }
  }
  return entities;
}

function sendFile(call: BotCall, kind: SentKind): unknown {
  const reader = writable(call);
  const file = uploadOf(call, call.parameters[kind]);
  check(kind, file);
  const content = { ...call.bot.fileContent(kind, file), ...captionOf(call.parameters) };
  return call.bot.deliver(reader, { ...content, ...topicOf(call.parameters) });
}

function sendMediaGroup(call: BotCall): unknown {
  const reader = writable(call);
  const { media } = call.parameters;
  if (media.length < 2 || media.length > 10) {
    throw badRequest(media.length < 2 ? 'not enough media in the group' : 'too many media in the group');
  }
  const album = { media_group_id: String(call.bot.nextMessageId() + 1e10) };
  // All or nothing: none is sent before every one was looked at.
  const contents = media.map((item: BotCall['parameters']) => {
    const file = uploadOf(call, item.media);
    check(item.type, file);
    // The type declarations know the id of pictures and videos only.
    const isPicture = item.type === 'photo' || item.type === 'video';
    return { ...call.bot.fileContent(item.type, file), ...captionOf(item), ...(isPicture ? album : {}) };
  });
  return contents.map((content: Readonly<Record<string, unknown>>) =>
    call.bot.deliver(reader, { ...content, ...topicOf(call.parameters) }),
  );
}

function uploadOf({ uploads }: BotCall, given: string | Upload): FormFile {
  const file = typeof given === 'string' ? undefined : uploads.get(given.upload);
  if (!file) throw badRequest('wrong remote file identifier specified');
  if (file.bytes.length === 0) throw badRequest('file must be non-empty');
  return file;
}

const PICTURE = /^(?:\xff\xd8\xff|\x89PNG|RIFF[\s\S]{4}WEBP)/;

function check(kind: string, { bytes }: FormFile): void {
  if (kind !== 'photo') return;
  if (bytes.length > MAX_PHOTO_BYTES) throw badRequest('PHOTO_SAVE_FILE_INVALID');
  if (!PICTURE.test(bytes.subarray(0, 12).toString('latin1'))) throw badRequest('IMAGE_PROCESS_FAILED');
}
