import { bytesWithin } from '../../../base/bytes-within.ts';
import { ValidationError } from './validation.ts';

/** A multipart/form-data body and the header that contains its boundary. */
export interface FormBody extends AsyncIterable<Uint8Array> {
  readonly contentType: string;
}

/** One part of a form. */
export interface FormPart {
  readonly name: string;
  /** As sent by the client, including any path; null if the part is not a file. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** Must be read before the next part is requested; unread bytes are skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const MAX_PARTS = 8;
/** Limit per part. It also keeps the header searches short, whatever the content. */
const MAX_HEADER_BYTES = 2_048;
const MAX_PREAMBLE_BYTES = 8_192;
const LINE_END = '\r\n';
const BOUNDARY = /;[ \t]*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/** Yields the parts of a form (RFC 7578) as they arrive. Throws a ValidationError if the body is not a form. */
export async function* formParts(body: FormBody): AsyncGenerator<FormPart> {
  const reader = new FormReader(body, boundaryOf(body.contentType));
  await reader.skipPreamble();
  for (let parts = 0; await reader.hasPart(); parts++) {
    if (parts === MAX_PARTS) throw notAForm('it has too many parts');
    yield partOf(await reader.headers(), reader);
    await reader.skipPart();
  }
}

/** The text of a field. Throws a ValidationError when it is longer than `maxBytes`. */
export async function fieldText({ name, bytes }: FormPart, maxBytes: number): Promise<string> {
  const text = await bytesWithin(bytes, maxBytes, () => notAForm(`its field ${name} is too long`));
  return text.toString('utf8');
}

/** Parses a body, holding at most one chunk and the length of a delimiter. */
class FormReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** Starts with a line end, because the first delimiter has no line before it. */
  #held: Buffer = Buffer.from(LINE_END);
  #isWithinPart = true;

  constructor(body: FormBody, boundary: string) {
    this.#source = body[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`${LINE_END}--${boundary}`, 'latin1');
  }

  async skipPreamble(): Promise<void> {
    let lengthBytes = 0;
    for await (const chunk of this.bytes()) {
      lengthBytes += chunk.byteLength;
      if (lengthBytes > MAX_PREAMBLE_BYTES) throw notAForm('its boundary does not occur');
    }
  }

  async skipPart(): Promise<void> {
    const rest = this.bytes();
    while (this.#isWithinPart) await rest.next();
  }

  /** Call after a delimiter. Two dashes mark the last one. */
  async hasPart(): Promise<boolean> {
    while (this.#held.length < 2) await this.#fill();
    return this.#held.toString('latin1', 0, 2) !== '--';
  }

  /** The part's headers, each preceded by a line end. */
  async headers(): Promise<string> {
    const end = LINE_END + LINE_END;
    for (;;) {
      const at = this.#held.indexOf(end);
      if ((at < 0 ? this.#held.length : at) > MAX_HEADER_BYTES)
        throw notAForm('the headers of a part are too long');
      if (at >= 0) {
        const text = this.#held.toString('utf8', 0, at);
        this.#held = this.#held.subarray(at + end.length);
        this.#isWithinPart = true;
        return text;
      }
      await this.#fill();
    }
  }

  /** The unread bytes of the current part. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    while (this.#isWithinPart) {
      const at = this.#held.indexOf(this.#delimiter);
      this.#isWithinPart = at < 0;
      const bytes = this.#held.subarray(0, at < 0 ? this.#delimiterMayBeginAt() : at);
      this.#held = this.#held.subarray(at < 0 ? bytes.length : at + this.#delimiter.length);
      if (bytes.length > 0) yield bytes;
      if (this.#isWithinPart) await this.#fill();
    }
  }

  /** Where a delimiter may start at the end of the held bytes: it begins with a line end. */
  #delimiterMayBeginAt(): number {
    const { length } = this.#held;
    const at = this.#held.indexOf(LINE_END[0]!, Math.max(0, length - this.#delimiter.length + 1));
    return at < 0 ? length : at;
  }

  async #fill(): Promise<void> {
    const next = await this.#source.next();
    if (next.done) throw notAForm('it is incomplete');
    const { buffer, byteOffset, byteLength } = next.value;
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw notAForm('its boundary is missing');
  return boundary;
}

function partOf(headers: string, reader: FormReader): FormPart {
  if (!/^[ \t]*(\r\n|$)/.test(headers)) throw notAForm('its boundary is followed by other characters');
  const disposition = headerOf(headers, 'content-disposition');
  const parameters = parametersOf(disposition ?? '');
  const name = parameters.get('name');
  if (!/^form-data[ \t]*(;|$)/i.test(disposition ?? '') || name === undefined)
    throw notAForm('a part has no name');
  return {
    name,
    fileName: extendedValue(parameters.get('filename*')) ?? parameters.get('filename') ?? null,
    contentType: headerOf(headers, 'content-type'),
    bytes: reader.bytes(),
  };
}

function headerOf(headers: string, name: string): string | null {
  const line = headers.split(LINE_END).find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() ?? null;
}

/** A header's parameters by name. Browsers escape with percent signs, other clients with backslashes. */
function parametersOf(header: string): Map<string, string> {
  return new Map(
    Array.from(header.matchAll(PARAMETER), ([, name, quoted, plain]) => [
      name!.toLowerCase(),
      quoted === undefined ? plain! : quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"'),
    ]),
  );
}

/** Decodes an extended value (RFC 8187): charset, language and percent-encoded bytes. Null if it is not valid UTF-8. */
function extendedValue(text: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function notAForm(why: string): ValidationError {
  const msg = `Input should be a valid multipart/form-data body: ${why}`;
  return new ValidationError([{ loc: ['body'], type: 'form_invalid', msg }]);
}
