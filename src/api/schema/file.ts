import * as z from 'zod';
import { named } from './fields.ts';

const FileName = z.string().max(1_000);
const MimeType = z.string().max(255);

/** JSON body of `POST /api/files`. The endpoint checks which fields may be combined. */
export const FileUploadBody = z
  .object({
    url: z.string().optional().describe('An http or https URL, fetched by the gateway'),
    bytes_b64: z.base64().optional().describe('The file as base64 with padding'),
    name: FileName.optional().describe('Required with bytes_b64'),
    mime: MimeType.optional().describe('Required with bytes_b64'),
  })
  .superRefine(({ url, bytes_b64, ...facts }, context) => {
    if (url !== undefined || bytes_b64 === undefined) return;
    for (const field of ['name', 'mime'] as const) {
      if (facts[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'Field required with bytes_b64' });
    }
  })
  .meta({ id: 'FileUpload' });
export type FileUploadBody = z.output<typeof FileUploadBody>;

const Bytes = z.string().meta({ format: 'binary' });

export const FileUploadForm = named('FileUploadForm', {
  file: Bytes,
  name: FileName.optional().describe("Replaces the file's own name"),
  mime: MimeType.optional().describe("Replaces the part's Content-Type"),
});

export const SlotForm = named('SlotForm', { file: Bytes });

export const ReserveBody = named('ReserveFile', { name: FileName, mime: MimeType });

export const File = named('File', {
  file_id: z.string().describe('Starts with `f_`'),
  url: z.string().describe('Downloads the file without any other credential'),
  name: z.string(),
  mime: z.string(),
  size: z.int().describe('Bytes'),
  expires_at: z.string(),
});

export const ReservedFile = named('ReservedFile', {
  file_id: z.string(),
  upload_url: z.string().describe('Accepts the file once, without a key'),
  expires_at: z.string().describe('The upload must start before this time'),
});

export const FileParams = z.object({ token: z.string().describe("The secret in the file's URL") });

export const SlotParams = z.object({ slot: z.string().describe('The secret in the upload URL') });
