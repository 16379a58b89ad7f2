import { isIPv4, isIPv6 } from 'node:net';
import { Grammar, URI } from 'sip.js/lib/core/index.js';

/**
 * The plain forms of SIP URIs, read in microseconds. The generated parser of sip.js decodes its tables anew for each
 * text and then takes up to four microseconds a character; it keeps what is rare and short, and a test holds that
 * both read the same.
 */

/** Longer texts are no plain form. */
const MAX_CHARACTERS = 1_024;
/** Longer texts are not given to the generated parser: a message holds three URIs, and may take two milliseconds. */
const MAX_RARE_CHARACTERS = 128;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]`;
const USER = "(?:[A-Za-z0-9_.!~*'()+$&=,;?/-]|%[0-9A-Fa-f]{2})+";
const VALUE = String.raw`(?:[A-Za-z0-9_.!~*'()+$&/:\[\]-]|%[0-9A-Fa-f]{2})+`;
const PARAMETERS = `(?:;[A-Za-z0-9_-]+(?:=${VALUE})?)*`;
const PLAIN_URI = new RegExp(`^(sips?):(?:(${USER})@)?(${HOST})(?::([1-9]\\d{0,4}))?(${PARAMETERS})$`);

/** Parameters whose values sip.js interprets, so that they are left to it. */
const INTERPRETED = new Set(['ttl', 'maddr', 'method', 'q', 'expires', 'handling', 'user', 'transport']);
const PLAIN_VALUES = new Set(['user=phone', 'transport=udp', 'transport=tcp', 'transport=tls']);

/** What the text says, in the object of sip.js; undefined when it is not plain. */
export function readPlainUri(text: string): URI | undefined {
  const match = text.length > MAX_CHARACTERS ? null : PLAIN_URI.exec(text);
  if (match === null || !isPlainHost(match[3]!)) return undefined;
  const user = decoded(match[2]);
  const parameters = parametersOf(match[5]!);
  if (user === null || parameters === undefined) return undefined;
  return new URI(match[1], user!, match[3]!, portOf(match[4]), parameters);
}

const generated = Grammar.parse;

/** Has sip.js read plain URIs this way from now on, and long texts not at all. */
export function speedUpGrammar(): void {
  Object.assign(Grammar, {
    parse: (text: string, rule: string): unknown => {
      const plain = rule === 'SIP_URI' ? readPlainUri(text) : undefined;
      return plain ?? (text.length > MAX_RARE_CHARACTERS ? -1 : generated(text, rule));
    },
  });
}

/** Undefined: there is none. Null: the escapes are no text. */
function decoded(user: string | undefined): string | null | undefined {
  if (user === undefined || !user.includes('%')) return user;
  try {
    return decodeURIComponent(user);
  } catch {
    return null;
  }
}

/** Digits and dots must be an address, and the last label of a name begins with a letter. */
function isPlainHost(host: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  return isIPv4(host) || /^[A-Za-z]/.test(host.slice(host.lastIndexOf('.') + 1));
}

function portOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** A parameter without a value is null, which sip.js types away. */
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
