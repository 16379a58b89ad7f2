import { splitList } from './list-header.ts';

/** A SIP message taken apart just enough to be guarded and rewritten before sip.js sees it (RFC 3261 section 7). */
export interface SipMessage {
  startLine: string;
  /** Names in lower case and in their long form, values unfolded, in order. */
  headers: SipHeader[];
  body: string;
}

export interface SipHeader {
  readonly name: string;
  value: string;
}

/** Largest message that is taken or framed. */
export const MAX_MESSAGE_BYTES = 65_536;

const MAX_REASON_CHARACTERS = 128;
/** Longest first line and header value: several times what any network writes. */
const MAX_LINE_CHARACTERS = 8_192;
/** Lines, and values once lists are split. */
const MAX_HEADERS = 200;
/** Line ends on their own would start a header of the sender's choice wherever the value is repeated. */
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

/** Headers of which a peer may put several on one line, and of which sip.js wants one a line. */
const SPLIT_AT_COMMAS = new Set(['via']);

/** Parses one whole message; null when it is not SIP or breaks the framing. */
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

/** The body ends where Content-Length says, counted in bytes; bytes after it are no part of the message. */
function takeBody(message: SipMessage, rest: Buffer): boolean {
  const declared = headerOf(message, 'content-length');
  if (declared !== null && !/^\d{1,6}$/.test(declared)) return false;
  const lengthBytes = declared === null ? rest.length : Number(declared);
  if (lengthBytes > rest.length) return false;
  message.body = rest.toString('utf8', 0, lengthBytes);
  return true;
}

/** The first value of a header; null when there is none. `name` is the long form in lower case. */
export function headerOf(message: SipMessage, name: string): string | null {
  return message.headers.find((header) => header.name === name)?.value ?? null;
}

export function headersOf(message: SipMessage, name: string): string[] {
  return message.headers.filter((header) => header.name === name).map((header) => header.value);
}

/** Option tags of a list header such as Require, in lower case. */
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

/** The method of a request, or of the request that a response answers. */
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

/** A response's text beside its status, as far as anybody reads it. */
export function reasonOf(message: SipMessage): string {
  return message.startLine.slice(12, 12 + MAX_REASON_CHARACTERS);
}
