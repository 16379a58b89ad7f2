/** Maximum nesting depth of external JSON. No request of the API needs more than a handful of levels. */
export const MAX_JSON_DEPTH = 32;

/**
 * Maximum number of values in JSON of a request. Bytes cost little, values much: a megabyte of empty objects takes the
 * parser a hundred times as long as a megabyte of text, and names take whoever looks for unknown ones as long again.
 */
const MAX_VALUES = 10_000;
/** The same for JSON from a foreign server, which lists what it has. */
const MAX_FOREIGN_VALUES = 50_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** JSON of a shape that would take the parser too long. Nothing of it was parsed. */
export class JsonRefused extends SyntaxError {
  readonly code: 'json_too_deep' | 'json_too_long';

  constructor(code: JsonRefused['code'], message: string) {
    super(message);
    this.name = 'JsonRefused';
    this.code = code;
  }
}

/**
 * Parses external JSON. Checks its shape first, in one pass that stops at the first level or value too many: half a
 * million arrays, nested or not, would block the parser, and any code that walks the result, for a tenth of a second.
 * Throws JsonRefused, or the SyntaxError of `JSON.parse`.
 */
export function parseJson(text: string, maxValues = MAX_VALUES): unknown {
  assertShape(text, maxValues);
  return JSON.parse(text);
}

/** The same for what foreign servers send, whose number of values is limited. */
export function parseForeignJson(text: string): unknown {
  return parseJson(text, MAX_FOREIGN_VALUES);
}

function tooDeep(): JsonRefused {
  return new JsonRefused('json_too_deep', `JSON may be nested at most ${MAX_JSON_DEPTH} levels deep`);
}

function tooLong(maxValues: number): JsonRefused {
  return new JsonRefused('json_too_long', `JSON may have at most ${maxValues} values`);
}

/** Each value but the first of a list follows a comma, and each list an opening bracket. */
function assertShape(text: string, maxValues: number): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        values += 1;
        if (depth > MAX_JSON_DEPTH) throw tooDeep();
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
    if (values > maxValues) throw tooLong(maxValues);
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
