import { IncomingRequestMessage, IncomingResponseMessage, NameAddrHeader } from 'sip.js/lib/core/index.js';
import { chooseChallenges } from '../digest/digest-challenge.ts';
import type { AuthorizationHeader } from '../digest/digest-credentials.ts';
import { splitList } from '../message/list-header.ts';
import {
  headerOf,
  headersOf,
  methodOf,
  reasonOf,
  removeHeader,
  type SipMessage,
  statusOf,
} from '../message/sip-message.ts';
import { headerParameter, parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { parseVia } from '../message/via.ts';
import type { SipRoute } from '../sip-route.ts';
import { inviteTargetOf } from './sip-core.ts';
import { GATEWAY_HOST, sipUri, uriOf } from './uri-grammar.ts';

/**
 * sip.js's message objects are filled in here from our own parsers' results. The sip.js parser takes two microseconds
 * per character, and a message may have 65,536 of them. It is only used for unusual URIs.
 */

type CoreMessage = IncomingRequestMessage | IncomingResponseMessage;

/** The part of a route that responses to its requests need. */
type Answered = Pick<SipRoute, 'settings' | 'serverUri' | 'core'>;

/** Headers that sip.js and the legs read as text, besides those parsed here. */
const AS_TEXT = [
  'reason',
  'require',
  'supported',
  'rseq',
  'rack',
  'session-expires',
  'min-se',
  'min-expires',
  'expires',
  'retry-after',
];
/** A dialog repeats its routes in every request, and a request must fit into a datagram. */
const MAX_ROUTES = 32;
const MAX_CONTACTS = 64;
/**
 * In place of 408 to a REGISTER. sip.js takes a 408 to anything but INVITE for no answer at all (RFC 4320 section 4.2), and
 * nobody could tell a registrar that is out of reach from one that answers.
 */
export const REGISTRAR_TIMED_OUT = 498;
/** sip.js throws on a body without a type. */
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Converts a request for sip.js. The Request-URI becomes our Contact (otherwise sip.js answers 404 or 416), and `tel:`
 * addresses become `sip:`, while responses still repeat the originals. Returns null when an address in the request is
 * unusable.
 */
export function toCoreRequest(
  message: SipMessage,
  { dialogUser }: Pick<SipRoute, 'dialogUser'>,
): IncomingRequestMessage | null {
  const request = new IncomingRequestMessage();
  request.ruri = sipUri(dialogUser, GATEWAY_HOST);
  return fill(request, message) ? request : null;
}

/**
 * Converts a response for sip.js. Provisional answers to INVITE get the Contact
 * and tag that sip.js requires (proxies omit both).
 */
export function toCoreResponse(message: SipMessage, route: Answered): IncomingResponseMessage | null {
  const status = statusOf(message);
  const opensDialog = status > 100 && status < 300 && methodOf(message) === 'INVITE';
  if (opensDialog && status < 200) completeProvisional(message, route);
  else if (opensDialog) completeAnswer(message, route);
  const response = new IncomingResponseMessage();
  response.statusCode = status === 408 && methodOf(message) === 'REGISTER' ? REGISTRAR_TIMED_OUT : status;
  response.reasonPhrase = reasonOf(message);
  if (!fill(response, message)) return null;
  // sip.js would drop the response silently, and the call would never end.
  if (opensDialog && (!response.toTag || !response.hasHeader('contact'))) return null;
  if (status === 401 || status === 407) showChallenges(response, message, route);
  return response;
}

/**
 * Fills in the fields that requests and responses share. Returns false when an address in From, To or Contact is
 * invalid, or From or To is missing.
 */
function fill(core: CoreMessage, message: SipMessage): boolean {
  const from = setAddress(core, 'From', headerOf(message, 'from'));
  const to = setAddress(core, 'To', headerOf(message, 'to'));
  if (from === null || to === null || !setContacts(core, message)) return false;
  core.from = from;
  core.fromTag = from.getParam('tag')!;
  core.to = to;
  core.toTag = to.getParam('tag')!;
  core.method = methodOf(message);
  setPlain(core, message);
  setBody(core, message);
  return true;
}

function setPlain(core: CoreMessage, message: SipMessage): void {
  const vias = headersOf(message, 'via');
  for (const via of vias) core.addHeader('via', via);
  core.viaBranch = parseVia(vias[0] ?? '')?.branch ?? '';
  core.callId = headerOf(message, 'call-id') ?? '';
  core.setHeader('call-id', core.callId);
  const cseq = headerOf(message, 'cseq') ?? '';
  core.setHeader('cseq', cseq);
  core.cseq = Number.parseInt(cseq, 10);
  for (const route of listOf(message, 'record-route', MAX_ROUTES)) core.addHeader('record-route', route);
  for (const name of AS_TEXT) {
    for (const value of headersOf(message, name)) core.addHeader(name, value);
  }
}

/**
 * Sets the body and the two headers by which sip.js recognizes SDP. They are set in parsed form, so that sip.js does
 * not parse them again.
 */
function setBody(core: CoreMessage, message: SipMessage): void {
  core.body = message.body;
  const type = mainPart(headerOf(message, 'content-type'));
  if (type !== null) setParsed(core, 'Content-Type', type, type || UNKNOWN_TYPE);
  const disposition = mainPart(headerOf(message, 'content-disposition'));
  if (disposition) setParsed(core, 'Content-Disposition', disposition, { type: disposition });
}

/** Returns a header value without its parameters. */
function mainPart(value: string | null): string | null {
  return value === null ? null : value.split(';', 1)[0]!.trim().toLowerCase();
}

/** `name` must be in sip.js's spelling. */
function setParsed(core: CoreMessage, name: string, raw: string, parsed: unknown): void {
  core.headers[name] = [{ raw, parsed }];
}

function setAddress(core: CoreMessage, name: string, raw: string | null): NameAddrHeader | null {
  const address = raw === null ? null : addressOf(raw);
  if (address !== null) setParsed(core, name, raw!, address);
  return address;
}

/**
 * Sets the contacts. The first is the target of the dialog's requests; redirects and registrations read all as text.
 */
function setContacts(core: CoreMessage, message: SipMessage): boolean {
  const contacts = listOf(message, 'contact', MAX_CONTACTS);
  if (contacts[0] === undefined || contacts[0] === '*') return true;
  const first = addressOf(contacts[0]);
  if (first === null) return false;
  setParsed(core, 'Contact', contacts[0], first);
  for (const contact of contacts.slice(1)) core.addHeader('contact', contact);
  return true;
}

function listOf(message: SipMessage, name: string, limit: number): string[] {
  return headersOf(message, name).flatMap(splitList).slice(0, limit);
}

/** Parses an address with its tag, which is all that sip.js needs. Returns null when its URI is invalid. */
function addressOf(value: string): NameAddrHeader | null {
  const text = uriInHeader(value);
  const uri = /^[a-z][a-z0-9+.-]*:/i.test(text) ? uriOf(asSipUri(text)) : null;
  if (uri === null) return null;
  const tag = headerParameter(value, 'tag');
  // sip.js declares the display name as required but leaves it undefined itself.
  return new NameAddrHeader(uri, undefined as unknown as string, tag ? { tag } : {});
}

/** Converts a `tel:` URI, or one with a scheme unknown to sip.js, to a `sip:` URI. */
function asSipUri(uri: string): string {
  const known = parseSipUri(uri);
  if (known !== null && known.scheme !== 'tel') return uri;
  return `sip:${encodeURIComponent(known?.user ?? 'unknown')}@tel.invalid`;
}

/** Where servers and proxies challenge, and where they are answered. Either may do so in a 401 or 407 (RFC 3261 section 16.7). */
const CHALLENGES: readonly (readonly [name: string, answeredIn: AuthorizationHeader])[] = [
  ['www-authenticate', 'Authorization'],
  ['proxy-authenticate', 'Proxy-Authorization'],
];

/** Presents the challenges to answer, in parsed form, for `authentication`. */
function showChallenges(core: CoreMessage, message: SipMessage, { settings }: Answered): void {
  const challenges = CHALLENGES.flatMap(([name, answeredIn]) =>
    chooseChallenges(headersOf(message, name), settings.realm).map((each) => ({ ...each, answeredIn })),
  );
  if (challenges.length > 0) setParsed(core, 'WWW-Authenticate', '', challenges);
}

/** An answer without a Contact is a fault. What was called takes the ACK then, which ends its repetition (RFC 3261 section 13.3.1.4). */
function completeAnswer(message: SipMessage, { core }: Answered): void {
  if (headerOf(message, 'contact') !== null) return;
  const target = inviteTargetOf(core, parseVia(headerOf(message, 'via') ?? '')?.branch ?? '');
  if (target !== null) message.headers.push({ name: 'contact', value: `<${target}>` });
}

function completeProvisional(message: SipMessage, { serverUri }: Answered): void {
  const contact = uriInHeader(headerOf(message, 'contact') ?? '');
  if (uriOf(contact) === null) {
    removeHeader(message, 'contact');
    message.headers.push({ name: 'contact', value: `<${serverUri}>` });
  }
  const to = message.headers.find((header) => header.name === 'to');
  if (to !== undefined && !headerParameter(to.value, 'tag')) to.value = `<${uriInHeader(to.value)}>;tag=none`;
}
