import { splitList } from './list-header.ts';

/** A SIP message parsed just enough to be checked and rewritten before it reaches sip.js (RFC 3261 section 7). */
export interface SipMessage {
  startLine: string;
  /** Names in lower-case long form, values unfolded, in order. */
  headers: SipHeader[];
  body: string;
}

export interface SipHeader {
  readonly name: string;
  value: string;
}

/** Size limit of a message. */
export const MAX_MESSAGE_BYTES = 65_536;

const MAX_REASON_CHARACTERS = 128;
/** Longest first line and header value, several times what any network sends. */
const MAX_LINE_CHARACTERS = 8_192;
/** Limit on header lines, and on header values after lists are split. */
const MAX_HEADERS = 200;
/** A bare line break would let the sender inject a header wherever the value is repeated. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go.
const CONTROL_CHARACTER = /[\x00-\x08\x0a-\x1f\x7f]/;

const COMPACT_FORMS: Readonly<Record<string, string>> = {
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
};

/** Headers that may be combined on one line and that sip.js needs on separate lines. */
const SPLIT_AT_COMMAS = new Set(['via']);

/** Parses one whole message; null when it is not SIP or its framing is broken. */
export function parseSipMessage(bytes: Buffer): SipMessage | null {
  if (bytes.length > MAX_MESSAGE_BYTES) return null;
  const start = skipBlankLines(bytes);
  const end = bytes.indexOf('\r\n\r\n', start);
  if (end < 0) return null;
  const head = bytes.toString('utf8', start, end).replace(/\r\n[ \t]+/g, ' ');
  const [startLine = '', ...lines] = head.split('\r\n', MAX_HEADERS + 2);
  const headers = parseHeaders(lines);
  if (headers === null || !isStartLine(startLine)) return null;
  const message: SipMessage = { startLine, headers, body: '' };
  return takeBody(message, bytes.subarray(end + 4)) ? message : null;
}

function skipBlankLines(bytes: Buffer): number {
  let start = 0;
  while (bytes[start] === 13 || bytes[start] === 10) start += 1;
  return start;
}

function isUnreadable(line: string): boolean {
  return line.length > MAX_LINE_CHARACTERS || CONTROL_CHARACTER.test(line);
}

function isStartLine(line: string): boolean {
  if (isUnreadable(line)) return false;
  return /^SIP\/2\.0 [1-6]\d\d( |$)/i.test(line) || /^[A-Z0-9.!%*_+`'~-]+ \S+ SIP\/2\.0$/i.test(line);
}

function parseHeaders(lines: readonly string[]): SipHeader[] | null {
  if (lines.length > MAX_HEADERS) return null;
  const headers: SipHeader[] = [];
  for (const line of lines) {
    if (isUnreadable(line)) return null;
    const colon = line.indexOf(':');
    const rawName = line.slice(0, colon).trim().toLowerCase();
    if (colon <= 0 || !/^[a-z0-9.!%*_+`'~-]+$/.test(rawName)) return null;
    const name = COMPACT_FORMS[rawName] ?? rawName;
    const value = line.slice(colon + 1).trim();
    const values = SPLIT_AT_COMMAS.has(name) ? splitList(value) : [value];
    for (const each of values) headers.push({ name, value: each });
  }
  return headers.length > MAX_HEADERS ? null : headers;
}

/** Takes the body: as many bytes as Content-Length says. Bytes after it do not belong to the message. */
function takeBody(message: SipMessage, rest: Buffer): boolean {
  const declared = headerOf(message, 'content-length');
  if (declared !== null && !/^\d{1,6}$/.test(declared)) return false;
  const lengthBytes = declared === null ? rest.length : Number(declared);
  if (lengthBytes > rest.length) return false;
  message.body = rest.toString('utf8', 0, lengthBytes);
  return true;
}

/** Returns the first value of a header; null when absent. `name` is the lower-case long form. */
export function headerOf(message: SipMessage, name: string): string | null {
  return message.headers.find((header) => header.name === name)?.value ?? null;
}

export function headersOf(message: SipMessage, name: string): string[] {
  return message.headers.filter((header) => header.name === name).map((header) => header.value);
}

/** Returns the option tags of a list header such as Require, in lower case. */
export function tokensOf(message: SipMessage, name: string): string[] {
  return headersOf(message, name)
    .flatMap(splitList)
    .map((token) => token.toLowerCase());
}

export function removeHeader(message: SipMessage, name: string): void {
  message.headers = message.headers.filter((header) => header.name !== name);
}

export function isResponse(message: SipMessage): boolean {
  return message.startLine.startsWith('SIP/2.0 ') || /^SIP\/2\.0 /i.test(message.startLine);
}

/** Returns the method of a request, or of the request that a response answers. */
export function methodOf(message: SipMessage): string {
  if (!isResponse(message)) return message.startLine.split(' ', 1)[0]!;
  return /^\d+\s+(\S+)$/.exec(headerOf(message, 'cseq') ?? '')?.[1] ?? '';
}

export function requestUriOf(message: SipMessage): string {
  return message.startLine.split(' ', 2)[1] ?? '';
}

export function statusOf(message: SipMessage): number {
  return Number(message.startLine.slice(8, 11));
}

/** Returns a response's reason phrase, truncated. */
export function reasonOf(message: SipMessage): string {
  return message.startLine.slice(12, 12 + MAX_REASON_CHARACTERS);
}
