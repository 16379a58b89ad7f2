import { GatewayError } from '../../../../base/errors.ts';

/** Headers that a dialled URI may put into the INVITE (RFC 3261 section 19.1.1), besides `X-…`. All others are ours or the trunk's. */
const ALLOWED: readonly string[] = [
  'accept-language',
  'alert-info',
  'call-info',
  'in-reply-to',
  'organization',
  'priority',
  'reply-to',
  'subject',
  'user-to-user',
];
/** More would not fit into a datagram beside the rest of an INVITE. */
const MAX_HEADERS = 10;
const MAX_CHARACTERS = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a header.
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** Returns the header lines for what follows the `?` of a URI. Throws GatewayError `invalid_meeting_url` naming what cannot be sent. */
export function dialledHeaders(text: string): string[] {
  if (text === '') return [];
  const parts = text.split('&');
  if (parts.length > MAX_HEADERS) throw invalid(`has more than ${MAX_HEADERS} headers after the "?"`);
  return parts.map(headerLine);
}

function headerLine(part: string): string {
  const equals = part.indexOf('=');
  const name = decoded(equals < 0 ? part : part.slice(0, equals));
  const value = decoded(equals < 0 ? '' : part.slice(equals + 1));
  const isKnown = ALLOWED.includes(name.toLowerCase()) || /^x-[a-z0-9-]{1,60}$/i.test(name);
  if (!isKnown) throw invalid(`has the header ${JSON.stringify(name)} after the "?", which cannot be set`);
  if (value === '' || value.length > MAX_CHARACTERS || CONTROL_CHARACTER.test(value))
    throw invalid(`has a header ${JSON.stringify(name)} after the "?" whose value cannot be sent`);
  return `${name}: ${value}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('has an invalid escape after the "?"');
  }
}

function invalid(text: string): GatewayError {
  return new GatewayError('invalid_meeting_url', `meeting_url ${text}`);
}
