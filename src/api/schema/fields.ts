import * as z from 'zod';

/** An object that OpenAPI lists under a name. */
export function named<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}

/** An integer in a query, which must consist of digits: coercion would read '' as 0 and `0x10` as 16. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(
    (text) => (/^-?\d+$/.test(`${text}`) ? Number(text) : text),
    z.int().min(least).max(most),
  );
}

/** The id of a voice preset in a body. UUIDs are compared in lower case. */
export const VoiceConfigId = z.uuid().toLowerCase();

/** Longest chat text (specification, "Limits"). */
const MAX_CHAT_CHARACTERS = 10_000;

/**
 * A check that a text has at most this many Unicode characters. Like JSON Schema, it counts a character outside the
 * basic plane once, although JavaScript stores two units. The schema must declare `maxLength` itself.
 */
function atMost(characters: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    if (value.length <= characters || [...value].length <= characters) return;
    issues.push({ code: 'too_big', origin: 'string', maximum: characters, inclusive: true, input: value });
  };
}

/** Text of a chat message, in a call or a conversation. May be empty only with attachments (`requireContent`). */
export const ChatText = z
  .string()
  .check(atMost(MAX_CHAT_CHARACTERS))
  .meta({ maxLength: MAX_CHAT_CHARACTERS })
  .optional();

/** A check that a chat message has text or attachments. */
export const requireContent: z.core.CheckFn<{
  readonly text?: string | undefined;
  readonly attachments: readonly unknown[];
}> = ({ value, issues }) => {
  const { text, attachments } = value;
  if (text || attachments.length > 0) return;
  const at = { path: ['text'], input: text };
  if (text === '') issues.push({ code: 'too_small', origin: 'string', minimum: 1, inclusive: true, ...at });
  else issues.push({ code: 'custom', message: 'text or attachments is required', ...at });
};

const MAX_CHARACTERS = 80;
const CONTROL = /\p{Cc}/u;

/** A name chosen by a user: 1 to 80 Unicode characters without control characters. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .check(atMost(MAX_CHARACTERS), ({ value, issues }) => {
    if (CONTROL.test(value))
      issues.push({ code: 'custom', message: 'String should have no control characters', input: value });
  })
  .meta({ maxLength: MAX_CHARACTERS });

const MAX_ATTACHMENTS = 10;

/** The field belongs to another shape. */
const absent = z.never().optional();

/** Exactly one of three shapes (specification, "Attachments array"). */
export const AttachmentBody = z.union(
  [
    z.object({ file_id: z.string(), url: absent, bytes_b64: absent }),
    z.object({
      url: z.string(),
      name: z.string().optional(),
      mime: z.string().optional(),
      file_id: absent,
      bytes_b64: absent,
    }),
    z.object({ bytes_b64: z.base64(), name: z.string(), mime: z.string(), file_id: absent, url: absent }),
  ],
  {
    error:
      'Input should have one of: file_id; url, with or without name and mime; bytes_b64 with name and mime',
  },
);
export type AttachmentBody = z.output<typeof AttachmentBody>;

/** The files that a request attaches. */
export const AttachmentsBody = z.array(AttachmentBody).max(MAX_ATTACHMENTS).default([]);
