import type { FileDomain } from '../../files/file-domain.ts';
import { dropBytes, type Received, tooLarge } from '../../files/receive-bytes.ts';
import { type FileFacts, keepUpload, receiveUpload, type Upload } from '../../files/upload-file.ts';
import type { BodyStream } from '../http/request/body-stream.ts';
import { type FormPart, fieldText, formParts } from '../http/request/form-parts.ts';
import type { FieldPath } from '../http/request/known-fields.ts';
import { ValidationError } from '../http/request/validation.ts';
import type { Uploaded } from './uploaded-json.ts';

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
