/** Maximum nesting depth of external JSON. No request of the API needs more than a handful of levels. */
export const MAX_JSON_DEPTH = 32;

/**
 * Maximum number of values in JSON from a foreign server. Bytes cost little, values much: a megabyte of empty objects
 * takes the parser a hundred times as long as a megabyte of text.
 */
const MAX_FOREIGN_VALUES = 30_000;

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** JSON that is nested too deeply. Nothing of it was parsed. */
export class JsonTooDeep extends SyntaxError {
  constructor() {
    super(`JSON may be nested at most ${MAX_JSON_DEPTH} levels deep`);
    this.name = 'JsonTooDeep';
  }
}

/** JSON with more values than a foreign server may send. Nothing of it was parsed. */
export class JsonTooRich extends SyntaxError {
  constructor() {
    super(`JSON may have at most ${MAX_FOREIGN_VALUES} values`);
    this.name = 'JsonTooRich';
  }
}

/**
 * Parses external JSON. Checks the depth first, in one pass that stops at the first level too many: half a million
 * nested arrays would block the parser, and any code that walks the result, for a tenth of a second. Throws
 * JsonTooDeep, or the SyntaxError of `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  check(text, Number.POSITIVE_INFINITY);
  return JSON.parse(text);
}

/** The same for what foreign servers send, whose number of values is limited as well. Throws JsonTooRich too. */
export function parseForeignJson(text: string): unknown {
  check(text, MAX_FOREIGN_VALUES);
  return JSON.parse(text);
}

/** Each value but the first of a list follows a comma, and each list an opening bracket. */
function check(text: string, maxValues: number): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        values += 1;
        if (depth > MAX_JSON_DEPTH) throw new JsonTooDeep();
        break;
      case COMMA:
        values += 1;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      default:
    }
    if (values > maxValues) throw new JsonTooRich();
  }
}

/**
 * Returns the position of the closing quote of the string that begins at `start`, or the text's length if there is
 * none.
 */
function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    if (!isEscaped(text, at)) return at;
  }
}

/**
 * Escaped means after an odd number of backslashes. Each run of backslashes is examined once, for the quote that
 * follows it.
 */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Whether a parsed JSON value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
