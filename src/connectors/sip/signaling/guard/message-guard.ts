import { createHmac, randomBytes } from 'node:crypto';
import { ALLOWED_METHODS, SUPPORTED_EXTENSIONS, USER_AGENT } from '../core/sip-core.ts';
import {
  headerOf,
  headersOf,
  methodOf,
  requestUriOf,
  type SipMessage,
  tokensOf,
} from '../message/sip-message.ts';
import { headerParameter, parseSipUri, uriInHeader } from '../message/sip-uri.ts';

/** An answer to a request that does not reach sip.js. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
}

/** Nobody can foresee our tags. */
const tagKey = randomBytes(16);
const ONCE = ['from', 'to', 'call-id', 'cseq'];
const MAX_CSEQ = 2 ** 31;
/** Methods only valid inside a dialog. sip.js throws on a PRACK outside one. */
const DIALOG_METHODS = ['BYE', 'INFO', 'PRACK'];

/**
 * Checks a request in the order of RFC 3261 section 8.2; null when it may reach sip.js. An ACK is never answered, so a
 * bad one must be dropped.
 */
export function guardRequest(message: SipMessage): Refusal | null {
  return shape(message) ?? method(message) ?? addressing(message) ?? extensions(message) ?? body(message);
}

export function refuse(status: number, reason: string, headers: readonly string[] = []): Refusal {
  return { status, reason, headers };
}

/** Writes the response (section 8.2.6). Copies of one request get one tag, also from whoever keeps no state (section 8.2.7). */
export function refusalText(request: SipMessage, { status, reason, headers }: Refusal): string {
  const to = headerOf(request, 'to') ?? '';
  const lines = [
    `SIP/2.0 ${status} ${reason}`,
    ...headersOf(request, 'via').map((value) => `Via: ${value}`),
    `From: ${headerOf(request, 'from') ?? ''}`,
    `To: ${hasTag(request, 'to') ? to : `${to};tag=${tagFor(request)}`}`,
    `Call-ID: ${headerOf(request, 'call-id') ?? ''}`,
    `CSeq: ${headerOf(request, 'cseq') ?? ''}`,
    `User-Agent: ${USER_AGENT}`,
    ...headers,
    'Content-Length: 0',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function tagFor(request: SipMessage): string {
  const parts = ['call-id', 'from', 'cseq'].map((name) => headerOf(request, name) ?? '');
  return createHmac('sha256', tagKey).update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** Checks the mandatory headers: each must be present exactly once and complete (section 8.1.1). */
function shape(message: SipMessage): Refusal | null {
  for (const name of ONCE) {
    const count = headersOf(message, name).length;
    if (count !== 1) return refuse(400, count === 0 ? `Missing ${name}` : `Repeated ${name}`);
  }
  const cseq = /^(\d{1,10})\s+(\S+)$/.exec(headerOf(message, 'cseq')!);
  if (cseq === null || Number(cseq[1]) >= MAX_CSEQ) return refuse(400, 'Bad CSeq');
  if (cseq[2] !== methodOf(message)) return refuse(400, 'CSeq Method Mismatch');
  if (!hasTag(message, 'from')) return refuse(400, 'Missing From tag');
  return maxForwards(message);
}

function maxForwards(message: SipMessage): Refusal | null {
  const text = headerOf(message, 'max-forwards');
  if (text === null) return null;
  if (!/^\d{1,3}$/.test(text)) return refuse(400, 'Bad Max-Forwards');
  return Number(text) === 0 && !hasTag(message, 'to') ? refuse(483, 'Too Many Hops') : null;
}

function method(message: SipMessage): Refusal | null {
  const name = methodOf(message);
  if (name === 'REFER') return refuse(603, 'Decline');
  if (DIALOG_METHODS.includes(name) && !hasTag(message, 'to')) return refuse(481, 'Call Does Not Exist');
  return ALLOWED_METHODS.includes(name)
    ? null
    : refuse(405, 'Method Not Allowed', [`Allow: ${ALLOWED_METHODS.join(', ')}`]);
}

function addressing(message: SipMessage): Refusal | null {
  const uri = requestUriOf(message);
  if (!/^(sips?|tel):/i.test(uri)) return refuse(416, 'Unsupported URI Scheme');
  if (parseSipUri(uri) === null) return refuse(400, 'Bad Request-URI');
  for (const name of ['from', 'to']) {
    if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(uriInHeader(headerOf(message, name)!)))
      return refuse(400, `Bad ${name}`);
  }
  if (methodOf(message) !== 'INVITE') return null;
  const contact = headerOf(message, 'contact');
  const target = contact === null ? null : parseSipUri(uriInHeader(contact));
  return target === null || target.host === '' ? refuse(400, 'Missing or bad Contact') : null;
}

/** Refuses required but unknown extensions with 420 and their names (section 8.2.2.3). */
function extensions(message: SipMessage): Refusal | null {
  if (methodOf(message) === 'ACK' || methodOf(message) === 'CANCEL') return null;
  const required = [...tokensOf(message, 'require'), ...tokensOf(message, 'proxy-require')];
  const unknown = required.filter((token) => !SUPPORTED_EXTENSIONS.includes(token));
  return unknown.length === 0 ? null : refuse(420, 'Bad Extension', [`Unsupported: ${unknown.join(', ')}`]);
}

function body(message: SipMessage): Refusal | null {
  if (message.body === '' || methodOf(message) !== 'INVITE') return null;
  const type = headerOf(message, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/sdp' && headerOf(message, 'content-encoding') === null) return null;
  return refuse(415, 'Unsupported Media Type', ['Accept: application/sdp', 'Accept-Encoding: identity']);
}

export function hasTag(message: SipMessage, name: 'from' | 'to'): boolean {
  return tagOf(message, name) !== '';
}

/** Returns the tag of From or To; empty when there is none. */
export function tagOf(message: SipMessage, name: 'from' | 'to'): string {
  return headerParameter(headerOf(message, name) ?? '', 'tag') ?? '';
}
