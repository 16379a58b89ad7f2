/** Where a text stops being JSON, and what was expected there. */
class JsonFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const SPACES = ' \t\n\r';
const DIGITS = '0123456789';
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const LITERALS = ['true', 'false', 'null'];

/**
 * Says where and why a text is not JSON (RFC 8259): `line 2, column 5: expected a value`. Empty if it is. `JSON.parse`
 * does not always tell the position, and quotes the text. Recurses once per level, so check the depth first.
 */
export function jsonFault(text: string): string {
  try {
    new Checker(text).check();
    return '';
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const lines = text.slice(0, error.at).split('\n');
    return `line ${lines.length}, column ${lines.at(-1)!.length + 1}: ${error.message}`;
  }
}

class Checker {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  check(): void {
    this.#value();
    this.#skip(SPACES);
    if (this.#at < this.#text.length) throw this.#expected('nothing more');
  }

  #value(): void {
    this.#skip(SPACES);
    const literal = LITERALS.find((each) => this.#text.startsWith(each, this.#at));
    if (this.#takes('{')) this.#members();
    else if (this.#takes('[')) this.#items();
    else if (this.#text[this.#at] === '"') this.#string();
    else if (literal !== undefined) this.#at += literal.length;
    else this.#number();
  }

  #members(): void {
    this.#skip(SPACES);
    if (this.#takes('}')) return;
    for (;;) {
      this.#skip(SPACES);
      if (this.#text[this.#at] !== '"') throw this.#expected('a name in double quotes');
      this.#string();
      this.#skip(SPACES);
      if (!this.#takes(':')) throw this.#expected('a colon');
      this.#value();
      this.#skip(SPACES);
      if (this.#takes('}')) return;
      if (!this.#takes(',')) throw this.#expected('a comma or }');
    }
  }

  #items(): void {
    this.#skip(SPACES);
    if (this.#takes(']')) return;
    for (;;) {
      this.#value();
      this.#skip(SPACES);
      if (this.#takes(']')) return;
      if (!this.#takes(',')) throw this.#expected('a comma or ]');
    }
  }

  #string(): void {
    for (this.#at += 1; !this.#takes('"'); ) {
      if (this.#at === this.#text.length) throw this.#expected('a closing double quote');
      if (this.#text.charCodeAt(this.#at) < 0x20)
        throw new JsonFault(this.#at, 'a control character in a string must be escaped');
      if (this.#text[this.#at] !== '\\') this.#at += 1;
      else this.#escape();
    }
  }

  #escape(): void {
    ESCAPE.lastIndex = this.#at;
    const [found] = ESCAPE.exec(this.#text) ?? [];
    if (found === undefined) throw new JsonFault(this.#at, 'no such escape in a string');
    this.#at += found.length;
  }

  #number(): void {
    const isNegative = this.#takes('-');
    if (!this.#takes('0') && !this.#skip(DIGITS)) throw this.#expected(isNegative ? 'a digit' : 'a value');
    if (this.#takes('.')) this.#digits();
    if (!this.#takes('e') && !this.#takes('E')) return;
    if (!this.#takes('+')) this.#takes('-');
    this.#digits();
  }

  #digits(): void {
    if (!this.#skip(DIGITS)) throw this.#expected('a digit');
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Skips all of these characters. Returns whether there were any. */
  #skip(characters: string): boolean {
    const start = this.#at;
    while (this.#at < this.#text.length && characters.includes(this.#text[this.#at]!)) this.#at += 1;
    return this.#at > start;
  }

  #expected(what: string): JsonFault {
    const end = this.#at >= this.#text.length ? ', but the text ends' : '';
    return new JsonFault(this.#at, `expected ${what}${end}`);
  }
}
