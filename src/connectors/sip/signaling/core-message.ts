import {
  type IncomingRequestMessage,
  IncomingResponseMessage,
  LoggerFactory,
  Parser,
  IncomingRequestMessage as RequestMessage,
} from 'sip.js/lib/core/index.js';
import { chooseChallenge } from './digest-challenge.ts';
import {
  formatSipMessage,
  headerOf,
  headersOf,
  methodOf,
  removeHeader,
  type SipHeader,
  type SipMessage,
  statusOf,
} from './sip-message.ts';
import { hostInUri, parseSipUri, uriInHeader } from './sip-uri.ts';
import type { Trunk } from './trunk.ts';

const loggerFactory = new LoggerFactory();
loggerFactory.builtinEnabled = false;
const logger = loggerFactory.getLogger('sip.parser');

/**
 * A request in the form that sip.js takes: the Request-URI names our Contact (or sip.js answers 404 and 416), and
 * `tel:` addresses are clothed as `sip:`, while the responses will repeat the originals. Null: sip.js cannot parse it.
 */
export function toCoreRequest(message: SipMessage, trunk: Trunk): IncomingRequestMessage | null {
  const originals = { from: headerOf(message, 'from')!, to: headerOf(message, 'to')! };
  const parsed = parseForCore({
    ...message,
    startLine: `${methodOf(message)} sip:${trunk.contactUser}@gateway.invalid SIP/2.0`,
    headers: message.headers.map(clothedHeader),
  });
  if (!(parsed instanceof RequestMessage)) return null;
  restoreRaw(parsed, 'From', originals.from);
  restoreRaw(parsed, 'To', originals.to);
  return parsed;
}

/** The parser of sip.js gives nothing for most of what is wrong, and throws at the rest. */
function parseForCore(message: SipMessage): unknown {
  try {
    return Parser.parseMessage(formatForCore(message), logger);
  } catch {
    return null;
  }
}

/** sip.js counts Content-Length in characters, so it gets none and takes the rest. */
function formatForCore(message: SipMessage): string {
  return formatSipMessage(message).replace(/\r\ncontent-length: \d+\r\n\r\n/, '\r\n\r\n');
}

function clothedHeader(header: SipHeader): SipHeader {
  const isAddress = header.name === 'from' || header.name === 'to';
  return isAddress ? { ...header, value: clothed(header.value) } : header;
}

function clothed(value: string): string {
  const uri = uriInHeader(value);
  const known = parseSipUri(uri);
  if (known !== null && known.scheme !== 'tel') return value;
  const user = known?.user ?? 'unknown';
  return value.replace(uri, `sip:${encodeURIComponent(user)}@tel.invalid`).replace(/^[^<]*$/, bracketed);
}

/** Puts the URI of `sip:x@y;tag=z` in brackets, or its parameters would be the URI's. */
function bracketed(value: string): string {
  const [uri = '', ...parameters] = value.split(';');
  return [`<${uri.trim()}>`, ...parameters].join(';');
}

function restoreRaw(message: IncomingRequestMessage, name: 'From' | 'To', raw: string): void {
  const headers = message.headers[name];
  if (headers?.[0] !== undefined) headers[0].raw = raw;
}

/**
 * A response in the form that sip.js takes: one challenge instead of several, and provisional answers to INVITE
 * with the Contact and tag that sip.js insists on (proxies leave both out).
 */
export function toCoreResponse(message: SipMessage, trunk: Trunk): IncomingResponseMessage | null {
  const status = statusOf(message);
  if (status === 401) showOneChallenge(message, 'www-authenticate', trunk);
  if (status === 407) showOneChallenge(message, 'proxy-authenticate', trunk);
  if (status > 100 && status < 200 && methodOf(message) === 'INVITE') completeProvisional(message, trunk);
  const parsed = parseForCore({ ...message, headers: message.headers.map(clothedHeader) });
  return parsed instanceof IncomingResponseMessage ? parsed : null;
}

function showOneChallenge(message: SipMessage, name: string, trunk: Trunk): void {
  const challenge = chooseChallenge(headersOf(message, name), trunk.settings.realm);
  removeHeader(message, name);
  if (challenge === null) return;
  trunk.challenges.add(challenge);
  const nonce = challenge.nonce.replace(/["\\]/g, '\\$&');
  message.headers.push({ name, value: `Digest realm="trunk", nonce="${nonce}", stale=${challenge.stale}` });
}

function completeProvisional(message: SipMessage, trunk: Trunk): void {
  if (headerOf(message, 'contact') === null) {
    message.headers.push({
      name: 'contact',
      value: `<sip:${hostInUri(trunk.settings.host)}:${trunk.settings.port}>`,
    });
  }
  const to = message.headers.find((header) => header.name === 'to');
  if (to !== undefined && !/;\s*tag=/i.test(to.value)) to.value = `${to.value};tag=none`;
}
