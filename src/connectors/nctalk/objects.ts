import * as z from 'zod';
import { field } from '../../base/platform-json.ts';

/** In URLs; Talk makes them of lower-case letters and digits. */
export const RoomToken = z.string().regex(/^[a-z0-9]{4,30}$/i);

/** What a placeholder of a text stands for (`OCP\RichObjectStrings\Definitions`): its fields are texts. */
const Parameter = z.looseObject({
  type: z.string(),
  id: field(z.coerce.string()),
  name: field(z.string()),
  link: field(z.string()),
});
export type Parameter = z.output<typeof Parameter>;

/** PHP writes an empty map as a list. A parameter that cannot be read is left out. */
const Parameters = z.preprocess(
  (value) => (Array.isArray(value) ? {} : value),
  z.record(z.string(), z.unknown()).transform(
    (all): Readonly<Record<string, Parameter>> =>
      Object.fromEntries(
        Object.entries(all).flatMap(([key, value]) => {
          const { data } = Parameter.safeParse(value);
          return data ? [[key, data]] : [];
        }),
      ),
  ),
);

/** A text with its placeholders. */
export const RichText = z.object({
  message: z.string().catch(''),
  messageParameters: Parameters.catch({}),
});
export type RichText = z.output<typeof RichText>;

const Alone = RichText.extend({
  id: z.number().int().nonnegative(),
  actorType: z.string().catch(''),
  actorId: z.string().catch(''),
  actorDisplayName: z.string().catch(''),
  /** Unix time, in seconds. */
  timestamp: z.number().int().nonnegative().max(253_402_300_799).catch(0),
  /** What Talk itself tells, such as `message_edited`; '' for what people write. */
  systemMessage: z.string().catch(''),
  messageType: z.string().catch(''),
  referenceId: z.string().catch(''),
  /** Since Talk 22: the message that began the thread, and whether it is one that people have made. */
  threadId: field(z.number().int()),
  isThread: field(z.boolean()),
});

/** https://nextcloud-talk.readthedocs.io/en/latest/chat/#receive-chat-messages-of-a-conversation */
export const Message = Alone.extend({
  /** The message that this one answers, or is about. A deleted one may have its id only. */
  parent: field(Alone.extend({ deleted: field(z.boolean()) })),
});
export type Message = z.output<typeof Message>;

/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#conversation-types */
export const ROOM_TYPES = { oneToOne: 1, group: 2, public: 3 } as const;

/** https://nextcloud-talk.readthedocs.io/en/latest/conversation/#get-users-conversations */
export const Room = z.object({
  token: RoomToken,
  type: z.number(),
  /** Of a one-to-one conversation, the id of the other user. */
  name: z.string().catch(''),
  displayName: z.string().catch(''),
  lastMessage: field(z.object({ id: z.number().int() })),
});
export type Room = z.output<typeof Room>;

/** A list of which one entry that cannot be read spoils nothing. `most`: entries beyond it are left out. */
export function listOf<Schema extends z.ZodType>(schema: Schema, most: number) {
  return z.array(z.unknown()).transform((all): z.output<Schema>[] =>
    all.slice(0, most).flatMap((each) => {
      const { data, success } = schema.safeParse(each);
      return success ? [data] : [];
    }),
  );
}

/** https://docs.nextcloud.com/server/latest/developer_manual/client_apis/OCS/ocs-api-overview.html#capabilities-api */
export const Capabilities = z.object({
  capabilities: z.object({
    spreed: field(
      z.object({
        features: field(z.array(z.string())),
        config: field(
          z.object({
            attachments: field(z.object({ folder: field(z.string()) })),
          }),
        ),
      }),
    ),
  }),
});
