import * as z from 'zod';
import { field } from '../../base/platform-json.ts';

/** A 64-bit id as decimal digits: unique over all of Discord, and growing with time. */
export const Snowflake = z.string().regex(/^\d{1,20}$/);

/** https://docs.discord.com/developers/resources/user#user-object */
export const User = z.object({
  id: Snowflake,
  username: z.string(),
  global_name: field(z.string().nullable()),
  bot: field(z.boolean()),
});

export type User = z.output<typeof User>;

/** Returns the name that a person shows everywhere. */
export function personName({ global_name: shown, username }: User): string {
  return shown || username;
}

/** https://docs.discord.com/developers/resources/message#attachment-object */
export const Attachment = z.object({
  id: Snowflake,
  filename: z.string(),
  size: field(z.number().nonnegative()),
  /** Signed; it expires after some hours. */
  url: z.string(),
  content_type: field(z.string()),
});

export type Attachment = z.output<typeof Attachment>;

/** A message's author as a member of its guild. */
const Member = z.object({ nick: field(z.string().nullable()), roles: field(z.array(Snowflake)) });

/** https://docs.discord.com/developers/resources/message#embed-object */
const Embed = z.object({
  type: field(z.string()),
  title: field(z.string()),
  description: field(z.string()),
  url: field(z.string()),
  author: field(z.object({ name: field(z.string()) })),
  footer: field(z.object({ text: field(z.string()) })),
  image: field(z.object({ url: field(z.string()) })),
  fields: field(z.array(z.object({ name: z.string(), value: z.string() }))),
});

export type Embed = z.output<typeof Embed>;

/** https://docs.discord.com/developers/resources/poll#poll-object */
const Poll = z.object({
  question: z.object({ text: field(z.string()) }),
  answers: z.array(
    z.object({
      poll_media: z.object({
        text: field(z.string()),
        emoji: field(z.object({ name: field(z.string().nullable()) })),
      }),
    }),
  ),
});

/** What a message, or what was forwarded of one, consists of. */
const Content = z.object({
  content: field(z.string()),
  attachments: field(z.array(Attachment)),
  embeds: field(z.array(Embed)),
  sticker_items: field(z.array(z.object({ name: z.string() }))),
  /** Texts, pictures and buttons in a form of their own (https://docs.discord.com/developers/components/reference). */
  components: field(z.array(z.unknown())),
  flags: field(z.number()),
});

export type Content = z.output<typeof Content>;

/** What a reply shows of the message that it answers. */
const QuotedMessage = Content.extend({ id: Snowflake, author: field(User) });

/** https://docs.discord.com/developers/resources/message#message-object */
export const Message = Content.extend({
  id: Snowflake,
  channel_id: Snowflake,
  /** Absent in direct messages, and in messages that were asked for by REST. */
  guild_id: field(Snowflake),
  author: User,
  member: field(Member),
  content: z.string(),
  /** ISO 8601. */
  timestamp: z.string(),
  edited_timestamp: field(z.string().nullable()),
  mentions: field(z.array(User)),
  mention_roles: field(z.array(Snowflake)),
  poll: field(Poll),
  /** Somebody is invited to play or do something together. */
  activity: field(z.unknown()),
  application: field(z.object({ name: field(z.string()) })),
  shared_client_theme: field(z.unknown()),
  type: z.number(),
  /** The message was written by a webhook. */
  webhook_id: field(Snowflake),
  referenced_message: field(QuotedMessage.nullable()),
  /** What was forwarded. */
  message_snapshots: field(z.array(z.object({ message: Content }))),
});

export type Message = z.output<typeof Message>;

/** https://docs.discord.com/developers/resources/channel#channel-object */
export const Channel = z.object({
  id: Snowflake,
  type: z.number(),
  guild_id: field(Snowflake),
  name: field(z.string().nullable()),
  /** The channel of a thread; the category of any other channel. */
  parent_id: field(Snowflake.nullable()),
  recipients: field(z.array(User)),
});

export type Channel = z.output<typeof Channel>;

/** https://docs.discord.com/developers/resources/application#application-object */
export const Application = z.object({ id: Snowflake, flags: field(z.number()) });

/** https://docs.discord.com/developers/events/gateway#get-gateway-bot */
export const GatewayBot = z.object({
  url: z.string(),
  session_start_limit: z.object({
    remaining: z.number(),
    /** Milliseconds until the limit starts anew. */
    reset_after: z.number(),
  }),
});

/** Permissions are a bit field in decimal digits. */
const Permissions = z.string().regex(/^\d{1,30}$/);

/** https://docs.discord.com/developers/resources/guild#guild-object */
export const Guild = z.object({
  id: Snowflake,
  owner_id: Snowflake,
  roles: z.array(
    z.object({
      id: Snowflake,
      permissions: Permissions,
      tags: field(z.object({ bot_id: field(Snowflake) })),
    }),
  ),
});

export const GuildMember = z.object({ nick: field(z.string().nullable()), user: field(User) });
