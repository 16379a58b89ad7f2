import * as z from 'zod';

/**
 * What may be posted to `/{phone number id}/messages`, strictly: as in Meta's own description of the API (facebook/openapi,
 * business-messaging-api v23.0, schemas "Message" and below), and what the documentation has added since: `recipient`,
 * `voice`, `filename`, `biz_opaque_callback_data`.
 */
const TEXT_LENGTH = 4_096;
const CAPTION_LENGTH = 1_024;
const FILENAME_LENGTH = 240;
const OPAQUE_LENGTH = 512;

const Id = z.string().regex(/^\d+$/);
const Caption = z.string().min(1).max(CAPTION_LENGTH).optional();

const COMMON = {
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  to: z
    .string()
    .regex(/^\+?\d{5,20}$/)
    .optional(),
  recipient: z
    .string()
    .regex(/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/)
    .optional(),
  context: z.strictObject({ message_id: z.string() }).optional(),
  biz_opaque_callback_data: z.string().max(OPAQUE_LENGTH).optional(),
};

const Template = z.strictObject({
  name: z.string(),
  language: z.strictObject({ policy: z.literal('deterministic').optional(), code: z.string() }),
  components: z
    .array(
      z.strictObject({
        type: z.literal('body'),
        parameters: z.array(z.strictObject({ type: z.literal('text'), text: z.string().min(1) })),
      }),
    )
    .optional(),
});

const Text = z.strictObject({
  body: z.string().min(1).max(TEXT_LENGTH),
  preview_url: z.boolean().optional(),
});

const Picture = z.strictObject({ id: Id, caption: Caption });
const Audio = z.strictObject({ id: Id, voice: z.boolean().optional() });
const Document = z.strictObject({
  id: Id,
  caption: Caption,
  filename: z.string().max(FILENAME_LENGTH).optional(),
});

const Title = (most: number) => z.string().min(1).max(most);
const Choice = (most: number) => z.strictObject({ id: z.string().min(1).max(256), title: Title(most) });

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages */
const Buttons = z.strictObject({
  type: z.literal('button'),
  body: z.strictObject({ text: z.string().min(1).max(1_024) }),
  action: z.strictObject({
    buttons: z
      .array(z.strictObject({ type: z.literal('reply'), reply: Choice(20) }))
      .min(1)
      .max(3),
  }),
});
const List = z.strictObject({
  type: z.literal('list'),
  body: z.strictObject({ text: z.string().min(1).max(4_096) }),
  action: z.strictObject({
    button: Title(20),
    sections: z.array(z.strictObject({ rows: z.array(Choice(24)).min(1).max(10) })).length(1),
  }),
});
const Reaction = z.strictObject({ message_id: z.string().min(1), emoji: z.string().max(40) });

export const SendRequest = z.discriminatedUnion('type', [
  z.strictObject({ ...COMMON, type: z.literal('text'), text: Text }),
  z.strictObject({ ...COMMON, type: z.literal('image'), image: Picture }),
  z.strictObject({ ...COMMON, type: z.literal('video'), video: Picture }),
  z.strictObject({ ...COMMON, type: z.literal('audio'), audio: Audio }),
  z.strictObject({ ...COMMON, type: z.literal('sticker'), sticker: z.strictObject({ id: Id }) }),
  z.strictObject({ ...COMMON, type: z.literal('document'), document: Document }),
  z.strictObject({ ...COMMON, type: z.literal('template'), template: Template }),
  z.strictObject({ ...COMMON, type: z.literal('interactive'), interactive: z.union([Buttons, List]) }),
  z.strictObject({ ...COMMON, type: z.literal('reaction'), reaction: Reaction }),
]);

export type SendRequest = z.output<typeof SendRequest>;

/** The file of a message; undefined: it has none. */
export function mediaOf(
  request: SendRequest,
): { readonly id: string; readonly caption?: string | undefined } | undefined {
  switch (request.type) {
    case 'image':
      return request.image;
    case 'video':
      return request.video;
    case 'audio':
      return request.audio;
    case 'sticker':
      return request.sticker;
    case 'document':
      return request.document;
    default:
      return undefined;
  }
}

/** "I have read it", perhaps with "and I type". */
export const ReadRequest = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.strictObject({ type: z.literal('text') }).optional(),
});
