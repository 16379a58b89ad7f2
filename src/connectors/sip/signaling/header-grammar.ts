import { isIPv4 } from 'node:net';
import { Grammar, NameAddrHeader, URI } from 'sip.js/lib/core/index.js';

/**
 * The plain forms of the headers that every message has, read in microseconds. The generated parser of sip.js
 * decodes its tables anew for each header, which was two thirds of the cost of a call; it keeps what is rare
 * (escapes, comments, lists, IPv6), and a test holds that both read the same.
 */

/** Longer texts are no plain form. */
const MAX_CHARACTERS = 512;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?`;
const PARAMETERS = '(?:;[A-Za-z0-9_-]+(?:=[A-Za-z0-9_.~+-]+)?)*';
const URI_TEXT = String.raw`(sips?):(?:([A-Za-z0-9_.!~*'()+$-]+)@)?(${HOST})(?::([1-9]\d{0,4}))?(${PARAMETERS})`;

const PLAIN_URI = new RegExp(`^${URI_TEXT}$`);
const REQUEST_LINE = new RegExp(`^([A-Z]+) ${URI_TEXT} SIP/2\\.0$`);
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d) ([A-Za-z0-9 '-]*)$/;
const NAME_ADDRESS = new RegExp(`^(?:"([^"\\\\\\x00-\\x1f\\x7f-\\uffff]*)" *)?<${URI_TEXT}>(${PARAMETERS})$`);
const VIA = new RegExp(`^SIP/2\\.0/(UDP|TCP|TLS) (${HOST})(?::([1-9]\\d{0,4}))?(${PARAMETERS})$`);
const CSEQ = /^(\d{1,10}) ([A-Z]+)$/;
const CALL_ID = /^[A-Za-z0-9._~+-]+(?:@[A-Za-z0-9.-]+)?$/;
const NUMBER = /^\d{1,9}$/;
const CONTENT_TYPE = /^[a-z]+\/[a-z-]+$/;

/** Parameters whose values sip.js interprets, so that they are left to it. */
const INTERPRETED = new Set(['ttl', 'maddr', 'method', 'q', 'expires', 'handling', 'user', 'transport']);
const PLAIN_VALUES = new Set(['user=phone', 'transport=udp', 'transport=tcp', 'transport=tls']);
const VIA_FIELDS = new Set(['branch', 'received', 'rport']);

/** By the names that sip.js gives its rules; undefined: not plain, ask the generated parser. */
const RULES: Readonly<Record<string, (text: string) => unknown>> = {
  Request_Response: firstLine,
  SIP_URI: (text) => uriOf(PLAIN_URI.exec(text), 1),
  Name_Addr_Header: nameAddress,
  From: nameAddress,
  To: nameAddress,
  Contact: onlyNameAddress,
  Record_Route: onlyNameAddress,
  Via: via,
  CSeq: cseq,
  Call_ID: (text) => (CALL_ID.test(text) ? text : undefined),
  Content_Length: number,
  Max_Forwards: number,
  Content_Type: (text) => (CONTENT_TYPE.test(text) ? text : undefined),
};

/** What the rule reads in the text, in the objects of sip.js; undefined when the text is not plain. */
export function readPlain(text: string, rule: string): unknown {
  return text.length > MAX_CHARACTERS ? undefined : RULES[rule]?.(text);
}

const generated = Grammar.parse;

/** Has sip.js read plain headers this way from now on. */
export function speedUpGrammar(): void {
  Object.assign(Grammar, {
    parse: (text: string, rule: string): unknown => readPlain(text, rule) ?? generated(text, rule),
  });
}

function firstLine(text: string): unknown {
  const response = STATUS_LINE.exec(text);
  if (response !== null) {
    return { sip_version: 'SIP/2.0', status_code: Number(response[1]), reason_phrase: response[2] };
  }
  const request = REQUEST_LINE.exec(text);
  const uri = uriOf(request, 2);
  return uri === undefined ? undefined : { method: request![1], uri, sip_version: 'SIP/2.0' };
}

/** The URI whose five parts begin at group `first` of the match. */
function uriOf(match: RegExpExecArray | null, first: number): URI | undefined {
  if (match === null || !isPlainHost(match[first + 2]!)) return undefined;
  const parameters = parametersOf(match[first + 4]!);
  if (parameters === undefined) return undefined;
  const [scheme, user, host, port] = match.slice(first);
  return new URI(scheme, user!, host!, portOf(port), parameters);
}

function nameAddress(text: string): NameAddrHeader | undefined {
  const match = NAME_ADDRESS.exec(text);
  const uri = uriOf(match, 2);
  const parameters = parametersOf(match?.[7] ?? '');
  if (uri === undefined || parameters === undefined) return undefined;
  // sip.js types the name as always given, and leaves it undefined itself.
  return new NameAddrHeader(uri, match![1]!, parameters);
}

/** One address where there may be a list; sip.js takes its limits the wrong way round, which comes to the same. */
function onlyNameAddress(text: string): unknown {
  const parsed = nameAddress(text);
  return parsed === undefined ? undefined : [{ position: text.length, offset: 0, parsed }];
}

function via(text: string): unknown {
  const match = VIA.exec(text);
  if (match === null || !isPlainHost(match[2]!)) return undefined;
  const parameters = parametersOf(match[4]!);
  if (parameters === undefined || Object.entries(parameters).some(isUnusualInVia)) return undefined;
  const host = match[2]!;
  const port = portOf(match[3]);
  return {
    protocol: 'SIP',
    transport: match[1],
    host_type: isIPv4(parameters.received ?? host) ? 'IPv4' : 'domain',
    host,
    ...(port === undefined ? {} : { port }),
    ...parameters,
  };
}

function isUnusualInVia([name, value]: [string, string | null]): boolean {
  return !VIA_FIELDS.has(name) || value === null || (name === 'received' && !isIPv4(value));
}

function cseq(text: string): unknown {
  const match = CSEQ.exec(text);
  return match === null ? undefined : { value: Number(match[1]), method: match[2] };
}

function number(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Digits and dots must be an address, and the last label of a name begins with a letter. */
function isPlainHost(host: string): boolean {
  return isIPv4(host) || /(?:^|\.)[A-Za-z][^.]*$/.test(host);
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
    if (key in parameters || (INTERPRETED.has(key) && !PLAIN_VALUES.has(parameter))) return undefined;
    parameters[key] = (key === 'lr' ? null : value) as string;
  }
  return parameters;
}
