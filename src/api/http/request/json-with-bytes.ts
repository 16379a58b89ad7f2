import { GatewayError } from '../../../base/errors.ts';
import { jsonBody, notJson } from './request-body.ts';
import { ValidationError } from './validation.ts';

/** The field of a JSON object that holds base64 bytes, and the function that receives them. */
export interface BytesField {
  readonly name: string;
  /** Called at most once. Must read all bytes or reject. */
  readonly take: (bytes: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Allowed length of a JSON body beyond its bytes field: other fields and white space. */
export const JSON_OVERHEAD_BYTES = 64 * 1024;

/** Amount decoded at a time: strings of this size are cheap to create and to collect. */
const STEP_BYTES = 32 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Reads a JSON body whose `field` is too long to parse at once. Resolves with the body's value, in which the field is
 * an empty string. The field's bytes go to `take` while the rest of the body is still unread and may be invalid. Throws
 * a ValidationError if the body is not JSON, the field is not base64 or a name occurs twice, and `body_too_large` if
 * everything except the bytes is longer than `JSON_OVERHEAD_BYTES`.
 */
export async function readJsonWithBytes(
  source: AsyncIterable<Uint8Array>,
  field: BytesField,
): Promise<unknown> {
  const reader = new JsonReader(source, field.name);
  let note = '';
  while (await reader.reachesBytes()) {
    await field.take(reader.bytes());
    note = ` (not counting the content of ${field.name})`;
  }
  return jsonBody(reader.rest, note);
}

/** Reads a body once, holding one chunk of it and everything except the bytes. */
class JsonReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #fieldName: string;
  readonly #outline: Outline;
  #piece: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>, fieldName: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#fieldName = fieldName;
    this.#outline = new Outline(fieldName);
  }

  /** The body without the bytes. Complete only when the whole body has been read. */
  get rest(): Buffer {
    return this.#outline.bytes;
  }

  /** Reads up to the start of the bytes. Returns false if the body ends without them. */
  async reachesBytes(): Promise<boolean> {
    do {
      for (let at = 0; at < this.#piece.length; at++) {
        if (!this.#outline.add(this.#piece[at]!)) continue;
        this.#piece = this.#piece.subarray(at + 1);
        return true;
      }
    } while (await this.#next());
    return false;
  }

  /** The bytes up to the closing quote of their string. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const decoder = new Base64Decoder(this.#fieldName);
    for (;;) {
      // An escaped quote cannot end the bytes, because the decoder rejects the backslash before it.
      const quote = this.#piece.indexOf(QUOTE);
      const text = this.#piece.subarray(0, quote < 0 ? this.#piece.length : quote);
      for (let at = 0; at < text.length; at += STEP_BYTES) {
        const decoded = decoder.decode(text.toString('latin1', at, at + STEP_BYTES));
        if (decoded.length > 0) yield decoded;
      }
      this.#piece = this.#piece.subarray(text.length);
      if (quote >= 0) return decoder.end();
      if (!(await this.#next())) throw notJson(`: it ends within ${this.#fieldName}`);
    }
  }

  async #next(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    this.#piece = Buffer.from(buffer, byteOffset, byteLength);
    return true;
  }
}

/**
 * The body without the bytes. Understands just enough JSON to find the field; the parser validates the JSON when it is
 * complete.
 */
class Outline {
  readonly #fieldName: string;
  readonly #bytes = Buffer.allocUnsafe(JSON_OVERHEAD_BYTES);
  readonly #names = new Set<string>();
  #length = 0;
  #depth = 0;
  #isObject = false;
  /** Start of the current string; null outside strings. */
  #stringStart: number | null = null;
  #isEscaped = false;
  /** What is expected at the outermost level: a name, or the value of the bytes field. */
  #awaits: 'name' | 'field' | null = null;
  #name: string | null = null;

  constructor(fieldName: string) {
    this.#fieldName = fieldName;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds a byte. Returns true if the string value of the field starts after it. */
  add(byte: number): boolean {
    if (this.#length === this.#bytes.length) throw new GatewayError('body_too_large');
    this.#bytes[this.#length++] = byte;
    if (this.#stringStart !== null) {
      this.#withinString(byte, this.#stringStart);
      return false;
    }
    if (byte === QUOTE) this.#stringStart = this.#length - 1;
    else this.#betweenStrings(byte);
    return byte === QUOTE && this.#depth === 1 && this.#awaits === 'field';
  }

  #withinString(byte: number, start: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#stringStart = null;
      if (this.#depth === 1 && this.#awaits === 'name') this.#named(start);
      else if (this.#depth === 1) this.#awaits = null;
    }
  }

  #betweenStrings(byte: number): void {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#depth += 1;
      if (this.#depth > 1) return;
      this.#isObject = byte === OPEN_BRACE;
      this.#awaits = this.#isObject ? 'name' : null;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth -= 1;
    else if (this.#depth !== 1) return;
    else if (byte === COMMA) this.#awaits = this.#isObject ? 'name' : null;
    else if (byte === COLON) {
      this.#awaits = this.#name === this.#fieldName ? 'field' : null;
      this.#name = null;
    }
  }

  /** Rejects duplicate names. `JSON.parse` would keep the last of two fields, but one may already be on disk. */
  #named(start: number): void {
    this.#awaits = null;
    const name = jsonBody(this.bytes.subarray(start), ' (counted from the start of the name)') as string;
    if (this.#names.has(name))
      throw new ValidationError([
        { loc: ['body', name], type: 'duplicate_field', msg: 'Field is given twice' },
      ]);
    this.#names.add(name);
    this.#name = name;
  }
}

const ESCAPE = /\\(?:(\/)|u00([2-7][0-9a-fA-F]))/g;
/** A possible start of an escape that continues in the next piece. */
const UNFINISHED_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const LONGEST_ESCAPE = '\\u0041'.length;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const PADDING = /^={1,2}$/;
/** Four characters encode three bytes. */
const GROUP_LENGTH = 4;

/** Decodes base64 piece by piece, as it appears inside a JSON string. Throws a ValidationError if it is invalid. */
class Base64Decoder {
  readonly #fieldName: string;
  /** Incomplete escape and incomplete group at the end of the last piece. */
  #escape = '';
  #group = '';
  #isPadded = false;

  constructor(fieldName: string) {
    this.#fieldName = fieldName;
  }

  decode(piece: string): Buffer {
    const text = this.#group + this.#unescape(this.#escape + piece);
    if (this.#isPadded && text !== '') throw this.#fault();
    const end = text.length - (text.length % GROUP_LENGTH);
    this.#group = text.slice(end);
    const whole = text.slice(0, end);
    this.#check(whole);
    return Buffer.from(whole, 'base64');
  }

  /** Finishes after the closing quote. */
  end(): void {
    if (this.#escape !== '' || this.#group !== '') throw this.#fault();
  }

  /** Resolves JSON escapes. Only escaped slashes and `\u00XX` escapes can represent base64 characters. */
  #unescape(text: string): string {
    this.#escape = UNFINISHED_ESCAPE.exec(text.slice(-LONGEST_ESCAPE))?.[0] ?? '';
    const complete = text.slice(0, text.length - this.#escape.length);
    if (!complete.includes('\\')) return complete;
    return complete.replace(
      ESCAPE,
      (_escape, slash?: string, hex?: string) => slash ?? String.fromCharCode(Number.parseInt(hex!, 16)),
    );
  }

  #check(text: string): void {
    const at = text.search(NOT_BASE64);
    if (at < 0) return;
    if (!PADDING.test(text.slice(at))) throw this.#fault();
    this.#isPadded = true;
  }

  #fault(): ValidationError {
    const loc = ['body', this.#fieldName];
    return new ValidationError([
      { loc, type: 'value_error', msg: 'Input should be base64 with padding, such as SGk=' },
    ]);
  }
}
