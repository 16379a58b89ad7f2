/** Keys in the body of an INFO, in the forms that phones and exchanges use. */

/** What we send, and every peer understands. */
export const DTMF_RELAY_TYPE = 'application/dtmf-relay';

/** Well above the size of any body with digits. */
const MAX_BODY_CHARACTERS = 512;
/** More than an exchange collects before it tells of them. */
const MAX_DIGITS = 32;
/** Event codes of the keys that are no digits (RFC 4733 section 3.2), by which some senders call them. */
const CODED: Readonly<Record<string, string>> = {
  '10': '*',
  '11': '#',
  '12': 'A',
  '13': 'B',
  '14': 'C',
  '15': 'D',
};
const KEYS = '0123456789*#ABCD';

/** By content type: what the body says is pressed. */
const READERS: ReadonlyMap<string, (body: string) => string> = new Map([
  [DTMF_RELAY_TYPE, (body) => keyOf(valueIn(body, 'signal'))],
  ['application/dtmf', (body) => keyOf(body.trim())],
  ['audio/telephone-event', readEvent],
  // An exchange's `d=` lists all that it has collected.
  [
    'application/vnd.nortelnetworks.digits',
    (body) => keyOf(valueIn(body, 'signal')) || keysOf(valueIn(body, 'd')),
  ],
]);

/** Content types that are read. */
export const DIGIT_TYPES: readonly string[] = [...READERS.keys()];

/** Returns the keys in an INFO body; empty when there are none. */
export function digitsInInfo(contentType: string, body: string): string {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (body.length > MAX_BODY_CHARACTERS) return '';
  return READERS.get(type)?.(body) ?? '';
}

/** A payload of RFC 4733, its first byte alone, or the lines of the relay form. */
function readEvent(body: string): string {
  const code = body.charCodeAt(0);
  if (code < KEYS.length && !'\r\n\t'.includes(body[0]!)) return KEYS[code]!;
  return keyOf(valueIn(body, 'signal') || valueIn(body, 'event') || body.trim());
}

/** Returns the first value of a `name=value` line, also behind `name: `; empty when there is none. */
function valueIn(body: string, name: string): string {
  for (const line of body.split(/[\r\n]+/)) {
    const at = line.search(/[=:]/);
    if (at > 0 && line.slice(0, at).trim().toLowerCase() === name) return line.slice(at + 1).trim();
  }
  return '';
}

function keyOf(text: string): string {
  const key = CODED[text] ?? text.toUpperCase();
  return key.length === 1 && KEYS.includes(key) ? key : '';
}

function keysOf(text: string): string {
  const keys = text.toUpperCase();
  return keys.length <= MAX_DIGITS && [...keys].every((key) => KEYS.includes(key)) ? keys : '';
}
