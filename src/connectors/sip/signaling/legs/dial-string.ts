import { GatewayError } from '../../../../base/errors.ts';
import { PostDialFault, type PostDialStep, parsePostDial } from '../../../../base/post-dial.ts';
import { typedText } from '../../../../base/typed-text.ts';

/** Whom to call, and what to press once the call is answered. */
export interface DialString {
  /** A SIP, SIPS or TEL URI, or any other text that is not one. */
  readonly target: string;
  /** Empty: nothing. */
  readonly postDial: readonly PostDialStep[];
}

interface Split {
  readonly target: string;
  /** What follows the number. */
  readonly digits: string;
}

/** A number without a scheme begins like this. */
const BARE_NUMBER = /^(?:\+|%2B)?[\s(]*\d/i;
/** Only a telephone number in a SIP URI is followed by digits; other user parts may have any character. */
const SIP_NUMBER = /^\+?[\d\s().-]+[,;]/;
const NUMBER_END = /[,;pw]/i;
/** Where a number is, as invitations say behind its keys: `…# US (San Jose)`. */
const PLACE = /^\s[^\d*]*$/;
/** Neither a key nor a pause, nor between them. */
const LETTER = /[^\d*#\sA-DPW.,;()-]/i;
/** RFC 3966. A wait is a semicolon too, but what follows it has no name. */
const PARAMETER = /^;([a-z][a-z0-9-]*)=([^;]*)/i;

/**
 * Separates the number from the digits in a dial string as invitations and telephones have it: `+16465588656,,8123#`, with or
 * without `tel:`; `tel:+16465588656;postd=pp8123%23` (RFC 3601); `sip:+16465588656,,8123#@host`. `dtmf` are digits given
 * apart. Throws GatewayError `invalid_meeting_url`.
 */
export function readDialString(text: string, dtmf: string): DialString {
  const { target, digits } = split(text.trim());
  if (digits !== '' && dtmf !== '') throw new GatewayError('invalid_meeting_url', TWICE);
  return { target, postDial: stepsOf(digits === '' ? dtmf : digits) };
}

const TWICE = 'meeting_url has digits after the number; leave them or dtmf out';

function stepsOf(digits: string): readonly PostDialStep[] {
  if (digits === '') return [];
  try {
    return parsePostDial(digits);
  } catch (error) {
    if (!(error instanceof PostDialFault)) throw error;
    throw new GatewayError('invalid_meeting_url', `meeting_url after the number: ${error.message}`);
  }
}

function split(text: string): Split {
  const scheme = /^(?:sips?:|tel:(?:\/\/)?)/i.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  if (/^sip/i.test(scheme)) return inSipUri(scheme, rest);
  const plain = typedText(rest);
  if (scheme === '' && !BARE_NUMBER.test(plain)) return { target: text, digits: '' };
  const { number, digits, parameters } = afterNumber(withoutPlace(typedText(decoded(plain))));
  return { target: `tel:${number.replace(/\s/g, '')}${parameters}`, digits };
}

function withoutPlace(text: string): string {
  const end = text.lastIndexOf('#') + 1;
  const rest = text.slice(end);
  return PLACE.test(rest) && LETTER.test(rest) ? text.slice(0, end) : text;
}

function inSipUri(scheme: string, rest: string): Split {
  const at = Math.max(rest.lastIndexOf('@'), 0);
  const user = decoded(rest.slice(0, at));
  if (!SIP_NUMBER.test(user)) return { target: scheme + rest, digits: '' };
  const { number, digits, parameters } = afterNumber(user);
  if (digits === '') return { target: scheme + rest, digits };
  return { target: scheme + number.replace(/\s/g, '') + parameters + rest.slice(at), digits };
}

interface AfterNumber {
  readonly number: string;
  readonly digits: string;
  /** Those of the number (RFC 3966) except `postd`, each with its semicolon. */
  readonly parameters: string;
}

function afterNumber(text: string): AfterNumber {
  const end = text.search(NUMBER_END);
  if (end <= 0) return { number: text, digits: '', parameters: '' };
  let digits = '';
  let parameters = '';
  let rest = text.slice(end);
  for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
    const [parameter, name = '', value = ''] = found;
    if (name.toLowerCase() === 'postd') digits += value;
    else parameters += parameter;
    rest = rest.slice(parameter.length);
  }
  return { number: text.slice(0, end), digits: digits + rest, parameters };
}

/** Invitations escape number signs, commas, and even the plus. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
