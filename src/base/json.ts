/** JSON that comes from outside is nested at most this deep: no request of ours needs more than a handful of levels. */
export const MAX_JSON_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** JSON that is nested more deeply than anybody needs; nothing of it was parsed. */
export class JsonTooDeep extends SyntaxError {
  constructor() {
    super(`JSON may be nested at most ${MAX_JSON_DEPTH} levels deep`);
    this.name = 'JsonTooDeep';
  }
}

/**
 * Parses JSON from outside. The depth is checked first, in one pass that stops at the first level too many: half a
 * million nested arrays would keep the parser, and whoever walks its result, busy for a tenth of a second.
 * Throws JsonTooDeep, or the SyntaxError of `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new JsonTooDeep();
  return JSON.parse(text);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        if (depth > MAX_JSON_DEPTH) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    if (!isEscaped(text, at)) return at;
  }
}

/** After an odd number of backslashes. A run of them is looked at once, by the one quote that follows it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
