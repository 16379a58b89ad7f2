/** Header values as text: quoted strings, angle brackets and lists. Every function looks at each character once. */

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x3c;

/** Where the quoted string that begins at `at` is over; −1 when it never ends. */
export function quotedEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i + 1;
  }
  return -1;
}

/** Splits a comma-separated list, leaving commas in quotes and angle brackets alone. Empty entries are left out. */
export function splitList(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; ) {
    if (value.charCodeAt(at) !== COMMA) {
      at = unitEnd(value, at);
      continue;
    }
    addPart(parts, value.slice(start, at));
    start = ++at;
  }
  addPart(parts, value.slice(start));
  return parts;
}

/** Behind the quoted string, the bracketed address or the character at `at`. What is never closed runs to the end. */
function unitEnd(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code !== QUOTE && code !== OPEN) return at + 1;
  const end = code === QUOTE ? quotedEnd(value, at) : value.indexOf('>', at) + 1;
  return end > 0 ? end : value.length;
}

function addPart(parts: string[], text: string): void {
  const part = text.trim();
  if (part !== '') parts.push(part);
}

/** Where the address stands in a From, To, Contact, Route or Diversion value. */
export interface AddressPlace {
  readonly start: number;
  readonly end: number;
  /** Where the header's own parameters begin. */
  readonly parametersAt: number;
}

/** Finds the address with or without angle brackets, after a display name if there is one. */
export function addressPlace(value: string): AddressPlace {
  const nameEnd = displayNameEnd(value);
  const open = value.indexOf('<', nameEnd);
  const close = open < 0 ? -1 : value.indexOf('>', open);
  if (close >= 0) return { start: open + 1, end: close, parametersAt: close + 1 };
  let end = nameEnd;
  while (end < value.length && !';,'.includes(value[end]!)) end++;
  return { start: nameEnd, end, parametersAt: end };
}

/** Behind a quoted display name; 0 when the value begins with none, or with one that never ends. */
function displayNameEnd(value: string): number {
  const start = value.length - value.trimStart().length;
  return value.charCodeAt(start) === QUOTE ? Math.max(quotedEnd(value, start), 0) : 0;
}
