import { randomBytes } from 'node:crypto';
import type { OutboundFile } from '../contract/messenger.ts';

const LINE = '\r\n';
const LINE_END = Buffer.from(LINE);

interface Part {
  /** The part's headers and, for a field, its value and line break. */
  readonly head: Uint8Array;
  readonly file: OutboundFile | null;
}

/**
 * A multipart/form-data body (RFC 7578) streamed as it is sent: no file is ever fully in memory. `files` is keyed by
 * field name.
 */
export class Multipart {
  readonly #boundary = `gateway-${randomBytes(18).toString('base64url')}`;
  readonly #parts: readonly Part[];
  readonly #end = Buffer.from(`--${this.#boundary}--${LINE}`);
  #isWhole = false;

  constructor(fields: Readonly<Record<string, string>>, files: ReadonlyMap<string, OutboundFile>) {
    this.#parts = [
      ...Object.entries(fields).map(([name, value]) => ({
        head: this.#head(`name="${name}"`, '', value + LINE),
        file: null,
      })),
      ...[...files].map(([name, file]) => ({
        head: this.#head(
          `name="${name}"; filename="${quotable(file.name)}"`,
          `Content-Type: ${typeOf(file.mime)}${LINE}`,
          '',
        ),
        file,
      })),
    ];
  }

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`;
  }

  get lengthBytes(): number {
    const inParts = this.#parts.map(
      ({ head, file }) => head.length + (file === null ? 0 : file.sizeBytes + LINE.length),
    );
    return inParts.reduce((sum, bytes) => sum + bytes, this.#end.length);
  }

  /** Whether the whole body has been handed over. Until then, no server can have acted on it. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  async *body(): AsyncGenerator<Uint8Array> {
    for (const { head, file } of this.#parts) {
      yield head;
      if (file === null) continue;
      yield* file.open();
      yield LINE_END;
    }
    this.#isWhole = true;
    yield this.#end;
  }

  #head(disposition: string, typeLine: string, value: string): Uint8Array {
    return Buffer.from(
      `--${this.#boundary}${LINE}Content-Disposition: form-data; ${disposition}${LINE}${typeLine}${LINE}${value}`,
    );
  }
}

/**
 * Percent-encodes the characters that would end the quoted name or the line, as browsers do (HTML, "Multipart form
 * data").
 */
function quotable(name: string): string {
  return name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
}

function typeOf(mime: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mime) ? mime : 'application/octet-stream';
}
