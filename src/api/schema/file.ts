import * as z from 'zod';

const FileName = z.string().max(1_000);
const MimeType = z.string().max(255);

/** JSON body of `POST /api/files`. The endpoint checks which fields may be combined. */
export const FileUploadBody = z
  .object({
    url: z.string().optional().describe('http or https; fetched by the gateway'),
    bytes_b64: z.base64().optional().describe('Of a file up to the size cap; with padding'),
    name: FileName.optional().describe('Needed with bytes_b64'),
    mime: MimeType.optional().describe('Needed with bytes_b64'),
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

export const FileUploadForm = z
  .object({
    file: Bytes,
    name: FileName.optional().describe("Instead of the file's own"),
    mime: MimeType.optional().describe("Instead of the part's Content-Type"),
  })
  .meta({ id: 'FileUploadForm' });

export const SlotForm = z.object({ file: Bytes }).meta({ id: 'SlotForm' });

export const ReserveBody = z.object({ name: FileName, mime: MimeType }).meta({ id: 'ReserveFile' });

export const File = z
  .object({
    file_id: z.string().describe('Begins with `f_`'),
    url: z.string().describe('Serves the file to whoever knows it'),
    name: z.string(),
    mime: z.string(),
    size: z.int().describe('Bytes'),
    expires_at: z.string(),
  })
  .meta({ id: 'File' });

export const ReservedFile = z
  .object({
    file_id: z.string(),
    upload_url: z.string().describe('Takes the file once; needs no key'),
    expires_at: z.string().describe('When the upload must have begun'),
  })
  .meta({ id: 'ReservedFile' });

export const FileParams = z.object({ token: z.string().describe("The secret in the file's URL") });

export const SlotParams = z.object({ slot: z.string().describe('The secret in the upload URL') });
