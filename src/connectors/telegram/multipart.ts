import { randomBytes } from 'node:crypto';
import type { OutboundFile } from '../contract/messenger.ts';

const LINE = '\r\n';

/** A request body of fields and files (RFC 7578), made while it is sent: no file is ever whole in memory. */
export class Multipart {
  readonly #boundary = `gateway-${randomBytes(18).toString('base64url')}`;
  readonly #fields: Readonly<Record<string, string>>;
  readonly #files: ReadonlyMap<string, OutboundFile>;
  #isWhole = false;

  /** `files` by the names of their fields. */
  constructor(fields: Readonly<Record<string, string>>, files: ReadonlyMap<string, OutboundFile>) {
    this.#fields = fields;
    this.#files = files;
  }

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`;
  }

  /** Whether all of it has been handed over: before that, no server can have acted on it. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  async *body(): AsyncGenerator<Uint8Array> {
    for (const [name, value] of Object.entries(this.#fields)) {
      yield this.#head(`name="${name}"`, null);
      yield Buffer.from(value + LINE);
    }
    for (const [name, file] of this.#files) {
      yield this.#head(`name="${name}"; filename="${quotable(file.name)}"`, typeOf(file.mime));
      yield* file.open();
      yield Buffer.from(LINE);
    }
    this.#isWhole = true;
    yield Buffer.from(`--${this.#boundary}--${LINE}`);
  }

  #head(disposition: string, contentType: string | null): Uint8Array {
    const type = contentType === null ? '' : `Content-Type: ${contentType}${LINE}`;
    return Buffer.from(
      `--${this.#boundary}${LINE}Content-Disposition: form-data; ${disposition}${LINE}${type}${LINE}`,
    );
  }
}

/** As browsers write names: what would end the quotation, or the line, is percent-encoded (HTML, "Multipart form data"). */
function quotable(name: string): string {
  return name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
}

function typeOf(mime: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mime) ? mime : 'application/octet-stream';
}
