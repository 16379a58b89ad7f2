import { ValidationError } from './validation.ts';

const ESCAPE = /\\(?:(\/)|u00([2-7][0-9a-fA-F]))/g;
/** A possible start of an escape that continues in the next piece. */
const UNFINISHED_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const LONGEST_ESCAPE = '\\u0041'.length;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const PADDING = /^={1,2}$/;
/** Four characters encode three bytes. */
const GROUP_LENGTH = 4;

/** Decodes base64 piece by piece, as it appears inside a JSON string. Throws a ValidationError if it is invalid. */
export class Base64Decoder {
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
