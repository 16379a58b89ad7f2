import { isIPv4, isIPv6 } from 'node:net';
import { Grammar, URI } from 'sip.js/lib/core/index.js';

/**
 * A fast parser for the plain forms of SIP URIs, which takes microseconds. sip.js's generated parser decodes its tables
 * again for each text and then takes up to four microseconds per character. It is only used for short, unusual URIs. A
 * test verifies that both parsers agree.
 */

/** Host in the addresses that only sip.js sees. */
export const GATEWAY_HOST = 'gateway.invalid';

/** Longer texts are not plain forms. */
const MAX_CHARACTERS = 1_024;
/** Longer texts are not passed to the generated parser: a message holds three URIs and may take two milliseconds. */
const MAX_RARE_CHARACTERS = 128;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]`;
const USER = "(?:[A-Za-z0-9_.!~*'()+$&=,;?/-]|%[0-9A-Fa-f]{2})+";
const VALUE = String.raw`(?:[A-Za-z0-9_.!~*'()+$&/:\[\]-]|%[0-9A-Fa-f]{2})+`;
const PARAMETERS = `(?:;[A-Za-z0-9_-]+(?:=${VALUE})?)*`;
const PLAIN_URI = new RegExp(`^(sips?):(?:(${USER})@)?(${HOST})(?::([1-9]\\d{0,4}))?(${PARAMETERS})$`);

/** Parameters whose values sip.js interprets; they are left to sip.js. */
const INTERPRETED = new Set(['ttl', 'maddr', 'method', 'q', 'expires', 'handling', 'user', 'transport']);
const PLAIN_VALUES = new Set(['user=phone', 'transport=udp', 'transport=tcp', 'transport=tls']);

/** Returns sip.js's URI object; undefined when the text is not a plain form. */
export function readPlainUri(text: string): URI | undefined {
  const match = text.length > MAX_CHARACTERS ? null : PLAIN_URI.exec(text);
  if (match === null || !isPlainHost(match[3]!)) return undefined;
  const user = decoded(match[2]);
  const parameters = parametersOf(match[5]!);
  if (user === null || parameters === undefined) return undefined;
  const port = match[4] === undefined ? undefined : Number(match[4]);
  return new URI(match[1], user!, match[3]!, port, parameters);
}

const generated = Grammar.parse;

/** An escaped semicolon. It stays so in the users of URIs, because a plain one begins a parameter. */
const SEMICOLON = '%3B';
/** What sip.js leaves unescaped in a user, and what may be so in its parameters besides (RFC 3261 section 25.1). */
const PLAIN_IN_NAME = /%(?:3A|2B|3F|2F)/g;
const PLAIN_IN_PARAMETERS = /%(?:3A|2B|3F|2F|3D|26|24|2C)/g;

/** Replaces sip.js's URI parser: plain URIs are parsed here, and long texts are rejected. */
export function speedUpGrammar(): void {
  Object.assign(Grammar, {
    parse: (text: string, rule: string): unknown => {
      const plain = rule === 'SIP_URI' ? readPlainUri(text) : undefined;
      return plain ?? (text.length > MAX_RARE_CHARACTERS ? -1 : generated(text, rule));
    },
  });
  Object.assign(URI.prototype, {
    escapeUser: escapedUser,
  });
}

/** Escapes a user, but not the semicolons before its parameters, as sip.js does. */
function escapedUser(user: string): string {
  const [name = '', ...parameters] = user.split(';');
  const escaped = parameters.map((each) => escapedText(each, PLAIN_IN_PARAMETERS));
  return [escapedText(name, PLAIN_IN_NAME), ...escaped].join(';');
}

function escapedText(text: string, plain: RegExp): string {
  return text
    .split(SEMICOLON)
    .map((part) => encodeURIComponent(part).replace(plain, decodeURIComponent))
    .join(SEMICOLON);
}

/** Returns sip.js's object for a SIP or SIPS URI; null when the text is not one. */
export function uriOf(text: string): URI | null {
  return Grammar.URIParse(text) ?? null;
}

export function sipUri(user: string, host: string): URI {
  return new URI('sip', user, host);
}

/** Returns undefined when there is no user, null when its escapes are invalid. */
function decoded(user: string | undefined): string | null | undefined {
  if (user === undefined || !user.includes('%')) return user;
  try {
    return user.split(/%3B/i).map(decodeURIComponent).join(SEMICOLON);
  } catch {
    return null;
  }
}

/**
 * Whether a host is plain: all digits and dots must be an address, and a name's last label must start with a letter.
 */
function isPlainHost(host: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  return isIPv4(host) || /^[A-Za-z]/.test(host.slice(host.lastIndexOf('.') + 1));
}

/** Parses parameters. One without a value is null, although sip.js's types exclude that. */
function parametersOf(text: string): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  if (text === '') return parameters;
  for (const parameter of text.slice(1).split(';')) {
    const [name = '', value = null] = parameter.split('=', 2);
    const key = name.toLowerCase();
    if (key in parameters || (INTERPRETED.has(key) && !PLAIN_VALUES.has(parameter.toLowerCase())))
      return undefined;
    parameters[key] = plainValue(key, value) as string;
  }
  return parameters;
}

function plainValue(key: string, value: string | null): string | null {
  if (key === 'lr') return null;
  return key === 'transport' ? value!.toLowerCase() : value;
}
