import { oneLine } from '../../../../base/one-line.ts';
import { splitList } from '../message/list-header.ts';
import { headersOf, type SipMessage } from '../message/sip-message.ts';
import { headerParameter, uriInHeader } from '../message/sip-uri.ts';
import { isWithheld, statedCallers } from './caller.ts';

/** What agents are told of besides `X-…`: RFC 7433, 5806, 7044 and 3325. */
const KNOWN = ['user-to-user', 'diversion', 'history-info', 'p-asserted-identity'];
/** Names of headers in which networks prove something to each other. */
const SECRET = /auth|token|secret|passw|pwd|credential|cookie|signature|(?:^|[-_])key|apikey/;
/** Longest value, in characters; a longer one is left out, because half a value is another one. */
const MAX_VALUE = 1_024;
/** Of all names and values together; what no longer fits is left out. */
const MAX_CHARACTERS = 4_096;
const MAX_HEADERS = 32;
/** As many digits at the end of a number identify it, however it is written. */
const TELLING_DIGITS = 7;

/** Headers by their names in lower case. Several of one name are one list (RFC 3261 section 7.3.1). */
export type ToldHeaders = Readonly<Record<string, string>>;

/** Returns the headers of an INVITE that agents are told of. None names a caller who asks not to be shown. */
export function toldHeaders(message: SipMessage): ToldHeaders {
  const isHidden = isWithheld(message) ? namesOneOf(statedCallers(message)) : () => false;
  const told: Record<string, string> = {};
  let left = MAX_CHARACTERS;
  for (const name of namesIn(message)) {
    const value = oneLine(shownValue(message, name), MAX_VALUE + 1);
    const length = name.length + value.length;
    if (value === '' || value.length > MAX_VALUE || length > left || isHidden(value)) continue;
    if (name === 'p-asserted-identity' && isWithheld(message)) continue;
    told[name] = value;
    left -= length;
  }
  return told;
}

/** Returns the headers with asterisks for a secret of ours, such as the Contact that History-Info repeats. */
export function withoutSecret(headers: ToldHeaders, secret: string): ToldHeaders {
  const shown = Object.entries(headers).map(([name, value]) => [name, value.replaceAll(secret, '***')]);
  return Object.fromEntries(shown);
}

/** Returns each name once; those that everybody knows come first, so that others cannot take their room. */
function namesIn({ headers }: SipMessage): string[] {
  const names = new Set(headers.map(({ name }) => name));
  const own = [...names].filter((name) => name.startsWith('x-') && !SECRET.test(name));
  return [...KNOWN.filter((name) => names.has(name)), ...own].slice(0, MAX_HEADERS);
}

function shownValue(message: SipMessage, name: string): string {
  const values = headersOf(message, name);
  if (name === 'diversion') return listOf(values, isPrivateDiversion);
  if (name !== 'history-info') return values.join(', ');
  const isPrivate = headersOf(message, 'privacy').some((value) => /\bhistory\b/i.test(value));
  return isPrivate ? '' : listOf(values, isPrivateHistory);
}

function listOf(values: readonly string[], isPrivate: (value: string) => boolean): string {
  return values
    .flatMap(splitList)
    .filter((value) => !isPrivate(value))
    .join(', ');
}

/** RFC 5806 section 5.2. */
function isPrivateDiversion(value: string): boolean {
  const privacy = headerParameter(value, 'privacy')?.replaceAll('"', '').toLowerCase() ?? 'off';
  return privacy !== 'off';
}

/** RFC 7044 section 5: the URI says so in a header of its own. */
function isPrivateHistory(value: string): boolean {
  return /[?&]privacy=(?!none\b)/i.test(uriInHeader(value));
}

/** Returns a test whether a value names one of these users. */
function namesOneOf(users: readonly string[]): (value: string) => boolean {
  const numbers = users
    .map((user) => digitsIn(user).slice(-TELLING_DIGITS))
    .filter((digits) => digits !== '');
  const names = users.map((user) => user.toLowerCase());
  return (value) => {
    const [digits, text] = [digitsIn(value), value.toLowerCase()];
    return numbers.some((number) => digits.includes(number)) || names.some((name) => text.includes(name));
  };
}

function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, '');
}
