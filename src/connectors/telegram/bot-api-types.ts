import * as z from 'zod';
import { field } from '../../base/platform-json.ts';

/**
 * The parts of the Bot API's objects that are read here, under their original names
 * (https://core.telegram.org/bots/api#available-types). Fields that the platform may omit or add later are optional.
 */

export const User = z.object({
  id: z.int(),
  first_name: field(z.string()),
  last_name: field(z.string()),
  username: field(z.string()),
});

const Chat = User.extend({
  /** `private`, `group`, `supergroup` or `channel`. */
  type: z.string(),
});

/** Fields that PhotoSize, Document, Voice and similar types share. */
const StoredFile = z.object({
  /** Identifies the file for download by this bot only. */
  file_id: z.string(),
  file_name: field(z.string()),
  mime_type: field(z.string()),
  /** In bytes. */
  file_size: field(z.int()),
});

const Sticker = StoredFile.extend({
  emoji: field(z.string()),
  is_animated: field(z.boolean()),
  is_video: field(z.boolean()),
});

const Place = z.object({ latitude: z.number(), longitude: z.number() });

const Contact = User.pick({ first_name: true, last_name: true }).extend({ phone_number: z.string() });

/** The last Unix second that a Date can represent. */
const LAST_SECOND = 8_640_000_000_000;

const Message = z.object({
  message_id: z.int(),
  /** Unix time in seconds. */
  date: z.int().min(0).max(LAST_SECOND),
  chat: Chat,
  /** Shared by all messages of one album. */
  media_group_id: field(z.string()),
  text: field(z.string()),
  caption: field(z.string()),
  /** One picture in several sizes, smallest first. */
  photo: field(z.array(StoredFile)),
  document: field(StoredFile),
  voice: field(StoredFile),
  audio: field(StoredFile),
  video: field(StoredFile),
  video_note: field(StoredFile),
  /** Accompanied by `document`, for clients that do not support animations. */
  animation: field(StoredFile),
  sticker: field(Sticker),
  contact: field(Contact),
  location: field(Place),
  venue: field(z.object({ title: z.string(), address: z.string(), location: Place })),
  poll: field(z.object({ question: z.string() })),
  dice: field(z.object({ emoji: z.string(), value: z.int() })),
});

/** An update that can be confirmed even when the rest of it cannot be read. */
export const AnyUpdate = z.looseObject({ update_id: z.int() });

export const Update = z.object({
  update_id: z.int(),
  message: Message.optional(),
  edited_message: Message.optional(),
  my_chat_member: z.object({ chat: Chat, new_chat_member: z.object({ status: z.string() }) }).optional(),
});

const SentMessage = z.object({ message_id: z.int() });

/** Results of the send methods. An album is several messages. */
export const SentMessages = z.union([z.array(SentMessage), SentMessage.transform((message) => [message])]);

/** Result of `getFile`. */
export const PreparedFile = z.object({
  /** Path below `/file/bot<token>/`, valid for at least an hour. */
  file_path: z.string(),
});

export type AnyUpdate = z.output<typeof AnyUpdate>;
export type Update = z.output<typeof Update>;
export type Message = z.output<typeof Message>;
export type Chat = z.output<typeof Chat>;
export type StoredFile = z.output<typeof StoredFile>;
export type Place = z.output<typeof Place>;
