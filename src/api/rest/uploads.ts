import { GatewayError } from '../../base/errors.ts';
import type { FileDomain } from '../../files/file-domain.ts';
import { dropBytes, type Received, tooLarge } from '../../files/receive-bytes.ts';
import { type FileFacts, keepUpload, receiveUpload, type Upload } from '../../files/upload-file.ts';
import { uploadFromUrl } from '../../files/upload-from-url.ts';
import type { BodyStream } from '../http/request/body-stream.ts';
import { type FormPart, fieldText, formParts } from '../http/request/form-parts.ts';
import { JSON_OVERHEAD_BYTES, readJsonWithBytes } from '../http/request/json-with-bytes.ts';
import type { FieldPath } from '../http/request/known-fields.ts';
import { PartSchema } from '../http/request/part-schema.ts';
import { ValidationError } from '../http/request/validation.ts';
import { FileUploadBody } from '../schema/file.ts';

/** Allowed length of a form beyond the file in it: delimiters, headers, fields. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
const MAX_FIELD_BYTES = 4_096;

/** Stores the form's `file`. The fields `name` and `mime` may come before or after it. */
export async function uploadForm(domain: FileDomain, accountId: string, body: BodyStream): Promise<Uploaded> {
  refuseTooLarge(domain, body);
  const form = new UploadedForm(domain, accountId);
  try {
    for await (const part of formParts(body)) await form.take(part);
    return { upload: await form.kept(), ignored: form.ignored };
  } catch (error) {
    await form.drop();
    throw error;
  }
}

/** The bytes of the form's `file`. Anything after it is not read. Throws a ValidationError if there is none. */
export async function fileOfForm(domain: FileDomain, body: BodyStream): Promise<AsyncIterable<Uint8Array>> {
  refuseTooLarge(domain, body);
  const parts = formParts(body);
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    if (next.value.name === 'file') return next.value.bytes;
  }
  throw noFile();
}

/** Refuses a form by its announced length, before the client has to send it. */
function refuseTooLarge(domain: FileDomain, { lengthBytes }: BodyStream): void {
  if ((lengthBytes ?? 0) > domain.maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge(domain);
}

/** A form while it is being read. */
class UploadedForm {
  readonly #domain: FileDomain;
  readonly #accountId: string;
  /** Parts that mean nothing here. */
  readonly ignored: FieldPath[] = [];
  readonly #fields: { name?: string; mime?: string } = {};
  #received: Received | null = null;
  #facts: FileFacts = { name: null, mime: null };

  constructor(domain: FileDomain, accountId: string) {
    this.#domain = domain;
    this.#accountId = accountId;
  }

  async take(part: FormPart): Promise<void> {
    if (part.name === 'name' || part.name === 'mime') {
      this.#fields[part.name] = await fieldText(part, MAX_FIELD_BYTES);
    } else if (part.name === 'file' && this.#received === null) {
      this.#facts = { name: part.fileName, mime: part.contentType };
      this.#received = await receiveUpload(this.#domain, this.#accountId, part.bytes);
    } else this.ignored.push([part.name]);
  }

  async kept(): Promise<Upload> {
    const received = this.#received;
    if (received === null) throw noFile();
    this.#received = null;
    const { name, mime } = this.#fields;
    return await keepUpload(this.#domain, this.#accountId, received, {
      name: name || this.#facts.name,
      mime: mime || this.#facts.mime,
    });
  }

  async drop(): Promise<void> {
    if (this.#received !== null) await dropBytes(this.#domain, this.#received);
    this.#received = null;
  }
}

function noFile(): ValidationError {
  return new ValidationError([{ loc: ['body', 'file'], type: 'missing', msg: 'Field required' }]);
}

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
    const read = BODY.read(await readJsonWithBytes(body, { name: 'bytes_b64', take }));
    if (read.faults !== null) throw new ValidationError(read.faults);
    const fields = read.value as FileUploadBody;
    if ((fields.url === undefined) === (received === null)) throw new GatewayError('file_source');
    return { fields, ignored: read.ignored, received };
  } catch (error) {
    if (received !== null) await dropBytes(domain, received);
    throw error;
  }
}
