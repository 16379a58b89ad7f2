import * as z from 'zod';
import { field } from '../../base/platform-json.ts';

/**
 * The parts of the Bot API's objects that are read here, under their original names
 * (https://core.telegram.org/bots/api#available-types). Fields that the platform may omit or add later are optional.
 */

export const User = z.object({
  id: z.int(),
  is_bot: field(z.boolean()),
  first_name: field(z.string()),
  last_name: field(z.string()),
  username: field(z.string()),
});

const Chat = User.extend({
  /** `private`, `group`, `supergroup` or `channel`. */
  type: z.string(),
  /** Of groups and channels. */
  title: field(z.string()),
});

/** A range of a text that means more than its words. */
const Entity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: field(z.string()),
  /** Of a mention by name: somebody without a username. */
  user: field(User),
});
const Entities = field(z.array(Entity));

/** Where a forwarded message comes from. */
const Origin = z.object({
  sender_user: field(User),
  sender_user_name: field(z.string()),
  sender_chat: field(Chat),
  chat: field(Chat),
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

const SharedUser = User.omit({ id: true }).extend({ user_id: z.int() });

/** What of a message can be downloaded. */
const FILES = {
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
};

/** What of a message is neither text nor a file. */
const CONTENT = {
  rich_message: field(z.object({ blocks: z.array(z.unknown()) })),
  contact: field(Contact),
  location: field(Place),
  venue: field(z.object({ title: z.string(), address: z.string(), location: Place })),
  poll: field(
    z.object({
      question: z.string(),
      options: field(z.array(z.object({ text: z.string() }))),
    }),
  ),
  dice: field(z.object({ emoji: z.string(), value: z.int() })),
  checklist: field(
    z.object({
      title: z.string(),
      tasks: z.array(z.object({ text: z.string(), completion_date: field(z.int()) })),
    }),
  ),
  story: field(z.object({ chat: Chat })),
  paid_media: field(z.object({ star_count: z.int(), paid_media: z.array(z.unknown()) })),
  game: field(z.object({ title: z.string() })),
  users_shared: field(z.object({ users: z.array(SharedUser) })),
  chat_shared: field(z.object({ chat_id: z.int(), title: field(z.string()) })),
  web_app_data: field(z.object({ data: z.string(), button_text: z.string() })),
  invoice: field(z.object({ title: z.string() })),
  successful_payment: field(
    z.object({ currency: z.string(), total_amount: z.int(), invoice_payload: z.string() }),
  ),
  gift: field(z.looseObject({})),
  unique_gift: field(z.looseObject({})),
  checklist_tasks_done: field(
    z.object({
      marked_as_done_task_ids: field(z.array(z.int())),
      marked_as_not_done_task_ids: field(z.array(z.int())),
    }),
  ),
  checklist_tasks_added: field(z.object({ tasks: z.array(z.object({ text: z.string() })) })),
  giveaway: field(z.looseObject({})),
  passport_data: field(z.looseObject({})),
};

/** The media of a block of a rich message. */
export const Media = z.object(FILES);

/** A message, without the message that it answers. */
const SingleMessage = z.object({
  message_id: z.int(),
  /** Unix time in seconds. */
  date: z.int().min(0).max(LAST_SECOND),
  chat: Chat,
  from: field(User),
  /** In whose name it is written: of the group itself by an administrator who stays anonymous, or of a channel. */
  sender_chat: field(Chat),
  /** The title of an administrator who stays anonymous. */
  author_signature: field(z.string()),
  /** The topic, if `is_topic_message`. */
  message_thread_id: field(z.int()),
  is_topic_message: field(z.boolean()),
  forward_origin: field(Origin),
  /** Shared by all messages of one album. */
  media_group_id: field(z.string()),
  text: field(z.string()),
  entities: Entities,
  caption: field(z.string()),
  caption_entities: Entities,
  ...FILES,
  ...CONTENT,
  /** The notice that a topic was made. Whatever is written in the topic seems to answer it. */
  forum_topic_created: field(z.looseObject({})),
  /** The notice, in the old group, that it goes on as a supergroup with another id. */
  migrate_to_chat_id: field(z.int()),
  /** The same notice in the supergroup. */
  migrate_from_chat_id: field(z.int()),
});

const Message = SingleMessage.extend({
  reply_to_message: field(SingleMessage),
  /** The answered message is in another chat. */
  external_reply: field(z.object({ origin: Origin, message_id: z.int().catch(0), ...FILES, ...CONTENT })),
  reply_to_story: field(z.object({ chat: Chat })),
  /** The words of the answered message that the person has picked. */
  quote: field(z.object({ text: z.string() })),
});

/** An update that can be confirmed even when the rest of it cannot be read. */
export const AnyUpdate = z.looseObject({ update_id: z.int() });

/** The button of a message that a person has pressed. Of an old message, only its place is told. */
const CallbackQuery = z.object({
  id: z.string(),
  from: User,
  data: field(z.string()),
  message: field(
    z.object({
      message_id: z.int(),
      chat: Chat,
      message_thread_id: field(z.int()),
      is_topic_message: field(z.boolean()),
      reply_markup: field(
        z.object({
          inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: field(z.string()) }))),
        }),
      ),
    }),
  ),
});

/** https://core.telegram.org/bots/api#reactiontype */
const ReactionType = z.object({
  type: z.string(),
  emoji: field(z.string()),
  custom_emoji_id: field(z.string()),
});

const ReactionUpdate = z.object({
  chat: Chat,
  message_id: z.int(),
  user: field(User),
  /** Who has reacted, if in the name of a chat. */
  actor_chat: field(Chat),
  old_reaction: z.array(ReactionType),
  new_reaction: z.array(ReactionType),
});

export const Update = z.object({
  update_id: z.int(),
  callback_query: CallbackQuery.optional(),
  message_reaction: ReactionUpdate.optional(),
  message: Message.optional(),
  edited_message: Message.optional(),
  my_chat_member: z
    .object({
      chat: Chat,
      from: field(User),
      /** Somebody `restricted` may be a member or not. */
      new_chat_member: z.object({ status: z.string(), is_member: field(z.boolean()) }),
    })
    .optional(),
});

const SentMessage = z.object({ message_id: z.int() });

/** Results of the send methods. An album is several messages. */
export const SentMessages = z.union([z.array(SentMessage), SentMessage.transform((message) => [message])]);

/** Result of `getChatMember`. */
export const ChatMember = z.object({ status: z.string() });

/** Result of `getFile`. */
export const PreparedFile = z.object({
  /** Path below `/file/bot<token>/`, valid for at least an hour. */
  file_path: z.string(),
});

export type AnyUpdate = z.output<typeof AnyUpdate>;
export type Update = z.output<typeof Update>;
export type Message = z.output<typeof Message>;
export type Entity = z.output<typeof Entity>;
export type Origin = z.output<typeof Origin>;
export type User = z.output<typeof User>;
export type Chat = z.output<typeof Chat>;
/** What of a message is neither text nor a file. */
export type OtherContent = Pick<Message, keyof typeof CONTENT>;
export type Media = z.output<typeof Media>;
export type StoredFile = z.output<typeof StoredFile>;
export type CallbackQuery = z.output<typeof CallbackQuery>;
export type ReactionUpdate = z.output<typeof ReactionUpdate>;
export type ReactionType = z.output<typeof ReactionType>;
export type WithFile = Media & Pick<Message, 'message_id'>;
export type Place = z.output<typeof Place>;
export type MemberUpdate = NonNullable<Update['my_chat_member']>;
