import * as z from 'zod';

const MAX_ATTACHMENTS = 10;

/** Exactly one of three shapes (specification, "Attachments array"). */
export const AttachmentBody = z.union([
  z.strictObject({ file_id: z.string() }),
  z.strictObject({ url: z.string(), name: z.string().optional(), mime: z.string().optional() }),
  z.strictObject({ bytes_b64: z.base64(), name: z.string(), mime: z.string() }),
]);
export type AttachmentBody = z.output<typeof AttachmentBody>;

/** The files that a request attaches. */
export const AttachmentsBody = z.array(AttachmentBody).max(MAX_ATTACHMENTS).default([]);
