/** Parses header values: quoted strings, angle brackets and lists. Every function runs in a single pass. */

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x3c;

/** Returns the end of the quoted string that starts at `at`; −1 when it is not closed. */
export function quotedEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i + 1;
  }
  return -1;
}

/** Splits a comma-separated list, except inside quotes and angle brackets. Empty entries are omitted. */
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

/**
 * Returns the end of the quoted string, bracketed address or single character at `at`. An unclosed one runs to the end
 * of the value.
 */
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

/** Position of the address in a From, To, Contact, Route or Diversion value. */
export interface AddressPlace {
  readonly start: number;
  readonly end: number;
  /** Start of the header's own parameters. */
  readonly parametersAt: number;
}

/** Locates the address, with or without angle brackets, after an optional display name. */
export function addressPlace(value: string): AddressPlace {
  const nameEnd = displayNameEnd(value);
  const open = value.indexOf('<', nameEnd);
  const close = open < 0 ? -1 : value.indexOf('>', open);
  if (close >= 0) return { start: open + 1, end: close, parametersAt: close + 1 };
  let end = nameEnd;
  while (end < value.length && !';,'.includes(value[end]!)) end++;
  return { start: nameEnd, end, parametersAt: end };
}

/** Returns the end of a quoted display name; 0 when there is none or it is not closed. */
function displayNameEnd(value: string): number {
  const start = value.length - value.trimStart().length;
  return value.charCodeAt(start) === QUOTE ? Math.max(quotedEnd(value, start), 0) : 0;
}
