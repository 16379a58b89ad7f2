import * as z from 'zod';
import { field, platformJson } from '../../base/platform-json.ts';
import { WireErrors } from './client.ts';

/**
 * The parts of Meta's webhook payload that are read:
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks.
 * Messages and statuses are parsed one by one, so an unknown kind does not affect the rest of its batch.
 */
const Envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(
    z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })).default([]) }),
  ),
});

const Contact = z.object({
  profile: field(z.object({ name: z.string().optional(), username: z.string().optional() })),
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
});

const Value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z.array(Contact).default([]).catch([]),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
});

const Media = z.object({
  id: z.string(),
  mime_type: z.string().default('application/octet-stream'),
  filename: z.string().optional(),
  caption: z.string().optional(),
  voice: z.boolean().optional(),
});

/** What the person has picked. The id is the business's own. */
const Reply = z.object({ title: z.string(), id: field(z.string()), description: field(z.string()) });

const Interactive = z.object({
  button_reply: field(Reply),
  list_reply: field(Reply),
  /** The answers of a Flow, as JSON. */
  nfm_reply: field(z.object({ body: field(z.string()), response_json: field(z.string()) })),
});

const OrderedItem = z.object({
  product_retailer_id: z.string(),
  quantity: field(z.union([z.string(), z.number()])),
  item_price: field(z.union([z.string(), z.number()])),
  currency: field(z.string()),
});

/** The advertisement through which the person came. */
const Referral = z.object({
  headline: field(z.string()),
  body: field(z.string()),
  source_url: field(z.string()),
});

/** What the message is about. */
const Context = z.object({
  /** The message that it answers. */
  id: field(z.string()),
  forwarded: field(z.boolean()),
  frequently_forwarded: field(z.boolean()),
  referred_product: field(z.object({ product_retailer_id: field(z.string()) })),
});

const Location = z.object({
  latitude: z.union([z.string(), z.number()]),
  longitude: z.union([z.string(), z.number()]),
  name: z.string().optional(),
  address: z.string().optional(),
});

const SharedContact = z.object({
  name: z.object({ formatted_name: z.string() }),
  phones: z.array(z.object({ phone: z.string().optional() })).default([]),
  emails: field(z.array(z.object({ email: field(z.string()) }))),
});

/** A person's phone number or id has changed. */
const System = z.object({
  type: z.string(),
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  previous_user_id: z.string().optional(),
});

const Captioned = field(z.object({ caption: field(z.string()) }));

/**
 * What a message of a person says now. Numbers that people also use by the app get it, and `revoke`
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/edit).
 */
const Edit = z.object({
  original_message_id: z.string().min(1),
  message: z.object({
    text: field(z.object({ body: z.string() })),
    image: Captioned,
    video: Captioned,
    document: Captioned,
  }),
});

const Message = z.object({
  id: z.string().min(1),
  timestamp: z.union([z.string(), z.int()]).transform(Number),
  type: z.string(),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  group_id: z.string().optional(),
  text: field(z.object({ body: z.string() })),
  image: field(Media),
  audio: field(Media),
  video: field(Media),
  document: field(Media),
  sticker: field(Media),
  reaction: field(z.object({ message_id: field(z.string()), emoji: field(z.string()) })),
  button: field(z.object({ text: z.string(), payload: field(z.string()) })),
  interactive: field(Interactive),
  location: field(Location),
  contacts: field(z.array(SharedContact)),
  order: field(z.object({ text: field(z.string()), product_items: field(z.array(OrderedItem)) })),
  referral: field(Referral),
  context: field(Context),
  system: field(System),
  edit: field(Edit),
  revoke: field(z.object({ original_message_id: z.string().min(1) })),
});

const Status = z.object({
  id: z.string().min(1),
  status: z.string(),
  biz_opaque_callback_data: z.string().optional(),
  errors: field(WireErrors),
});

export type WireContact = z.output<typeof Contact>;
export type WireMessage = z.output<typeof Message>;
export type WireMedia = z.output<typeof Media>;
export type WireStatus = z.output<typeof Status>;

/** The part of a payload that concerns our number. */
export interface WebhookChange {
  readonly contacts: readonly WireContact[];
  readonly messages: readonly WireMessage[];
  readonly statuses: readonly WireStatus[];
  /** Number of messages and statuses that could not be parsed. */
  readonly unreadable: number;
}

/**
 * Parses a payload; undefined when it is not WhatsApp's. Other phone numbers and fields of the business are skipped.
 */
export function readPayload(body: Uint8Array, phoneNumberId: string): WebhookChange[] | undefined {
  const payload = Envelope.safeParse(platformJson(body));
  if (!payload.success) return undefined;
  return payload.data.entry
    .flatMap(({ changes }) => changes)
    .flatMap(({ field, value }) => (field === 'messages' ? readChange(value, phoneNumberId) : []));
}

function readChange(value: unknown, phoneNumberId: string): WebhookChange[] {
  const parsed = Value.safeParse(value);
  if (!parsed.success || parsed.data.metadata.phone_number_id !== phoneNumberId) return [];
  const { contacts, messages, statuses } = parsed.data;
  const readable = { messages: readEach(Message, messages), statuses: readEach(Status, statuses) };
  const read = readable.messages.length + readable.statuses.length;
  return [{ contacts, ...readable, unreadable: messages.length + statuses.length - read }];
}

function readEach<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
