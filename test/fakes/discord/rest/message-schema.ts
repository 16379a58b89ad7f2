import * as z from 'zod';

export const Id = z.string().regex(/^\d{15,20}$/);
const MAX_CONTENT = 2_000;
const MAX_FILES = 10;

const AllowedMentions = z.strictObject({
  parse: z.array(z.enum(['roles', 'users', 'everyone'])).optional(),
  roles: z.array(Id).max(100).optional(),
  users: z.array(Id).max(100).optional(),
  replied_user: z.boolean().optional(),
});

const Attachment = z.strictObject({
  id: z.union([z.int().nonnegative(), z.string().regex(/^\d+$/)]),
  filename: z.string().max(1024).optional(),
  title: z.string().max(1024).optional(),
  description: z.string().max(1024).nullish(),
  duration_secs: z.number().nonnegative().optional(),
  waveform: z.base64().max(400).optional(),
  is_spoiler: z.boolean().optional(),
});

const Embed = z.looseObject({});

const shared = {
  content: z.string().max(MAX_CONTENT).nullish(),
  embeds: z.array(Embed).max(10).nullish(),
  allowed_mentions: AllowedMentions.nullish(),
  attachments: z.array(Attachment).max(MAX_FILES).nullish(),
  components: z.array(z.looseObject({})).nullish(),
  flags: z.int().nonnegative().nullish(),
};

/** https://docs.discord.com/developers/resources/message#create-message */
export const NewMessage = z.strictObject({
  ...shared,
  nonce: z.union([z.int(), z.string().max(25)]).optional(),
  enforce_nonce: z.boolean().optional(),
  tts: z.boolean().optional(),
  message_reference: z
    .strictObject({
      type: z.literal(0).optional(),
      message_id: Id,
      channel_id: Id.optional(),
      guild_id: Id.optional(),
      fail_if_not_exists: z.boolean().optional(),
    })
    .optional(),
  sticker_ids: z.array(Id).max(3).optional(),
});
export type NewMessage = z.infer<typeof NewMessage>;

/** https://docs.discord.com/developers/resources/message#edit-message */
export const EditedMessage = z.strictObject(shared);
export type EditedMessage = z.infer<typeof EditedMessage>;

/** Of a query: texts that must be numbers. */
export const MessagePage = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  before: Id.optional(),
  after: Id.optional(),
  around: Id.optional(),
});
export type MessagePage = z.infer<typeof MessagePage>;
