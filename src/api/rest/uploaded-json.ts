import { GatewayError } from '../../base/errors.ts';
import type { FileDomain } from '../../files/file-domain.ts';
import { dropBytes, type Received, tooLarge } from '../../files/receive-bytes.ts';
import { keepUpload, receiveUpload, type Upload } from '../../files/upload-file.ts';
import { uploadFromUrl } from '../../files/upload-from-url.ts';
import type { BodyStream } from '../http/request/body-stream.ts';
import { JSON_OVERHEAD_BYTES, readJsonWithBytes } from '../http/request/json-with-bytes.ts';
import type { FieldPath } from '../http/request/known-fields.ts';
import { PartSchema } from '../http/request/part-schema.ts';
import { ValidationError } from '../http/request/validation.ts';
import { FileUploadBody } from '../schema/file.ts';

const BODY = new PartSchema(FileUploadBody, 'body', false);

/** Four base64 characters encode three bytes, and JSON may use six characters for each of them (`\u0041`). */
const MAX_JSON_PER_BYTE = 8;

/** A stored file, and the fields of the request that had no meaning. */
export interface Uploaded {
  readonly upload: Upload;
  readonly ignored: readonly FieldPath[];
}

/** A parsed JSON body and the uploaded bytes. */
interface ReadJson extends Pick<Uploaded, 'ignored'> {
  readonly fields: FileUploadBody;
  /** Null if the body has a `url` instead. */
  readonly received: Received | null;
}

/** Stores a file from a JSON body: from `bytes_b64`, which is written to disk as it arrives, or from `url`. */
export async function uploadJson(
  domain: FileDomain,
  accountId: string,
  body: BodyStream,
  signal: AbortSignal,
): Promise<Uploaded> {
  if ((body.lengthBytes ?? 0) > domain.maxBytes * MAX_JSON_PER_BYTE + JSON_OVERHEAD_BYTES)
    throw tooLarge(domain);
  const { fields, ignored, received } = await readJson(domain, accountId, body);
  const facts = { name: fields.name ?? null, mime: fields.mime ?? null };
  const upload =
    received === null
      ? await uploadFromUrl(domain, accountId, { url: fields.url!, facts }, signal)
      : await keepUpload(domain, accountId, received, facts);
  return { upload, ignored };
}

/** Reads the body. Deletes the received bytes if the rest of the body is invalid. Throws `file_source`. */
async function readJson(domain: FileDomain, accountId: string, body: BodyStream): Promise<ReadJson> {
  let received: Received | null = null;
  const take = async (bytes: AsyncIterable<Uint8Array>) => {
    received = await receiveUpload(domain, accountId, bytes);
  };
  try {
    const value = await readJsonWithBytes(body, { name: 'bytes_b64', take });
    const read = BODY.read(value);
    if (read.faults !== null) throw new ValidationError(read.faults);
    const fields = read.value as FileUploadBody;
    if ((fields.url === undefined) === (received === null)) throw new GatewayError('file_source');
    return { fields, ignored: read.ignored, received };
  } catch (error) {
    if (received !== null) await dropBytes(domain, received);
    throw error;
  }
}
