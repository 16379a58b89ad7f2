import {
  Grammar,
  type IncomingRequestMessage,
  IncomingResponseMessage,
  NameAddrHeader,
  IncomingRequestMessage as RequestMessage,
  URI,
} from 'sip.js/lib/core/index.js';
import { chooseChallenge } from '../digest/digest-challenge.ts';
import type { Trunk } from '../trunk/trunk.ts';
import { splitList } from './list-header.ts';
import {
  headerOf,
  headersOf,
  methodOf,
  reasonOf,
  removeHeader,
  type SipMessage,
  statusOf,
} from './sip-message.ts';
import { headerParameter, hostInUri, parseSipUri, uriInHeader } from './sip-uri.ts';
import { parseVia } from './via.ts';

/**
 * The objects of sip.js are filled in here, from what our own readers found. The parser of sip.js takes two
 * microseconds a character, and a message may have 65,536 of them; it is asked for nothing but rare URIs.
 */

type CoreMessage = IncomingRequestMessage | IncomingResponseMessage;

/** What sip.js and the legs ask for as text, beside the headers that are read here. */
const AS_TEXT = ['require', 'rseq', 'rack', 'session-expires', 'min-expires', 'expires'];
/** A dialog repeats its routes in every request, and a request must fit into a datagram. */
const MAX_ROUTES = 32;
const MAX_CONTACTS = 64;
/** sip.js throws at a body without a type. */
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * A request in the form that sip.js takes: the Request-URI names our Contact (or sip.js answers 404 and 416), and
 * `tel:` addresses are clothed as `sip:`, while the responses will repeat the originals. Null: an address in it is
 * none that we can answer to.
 */
export function toCoreRequest(message: SipMessage, trunk: Trunk): IncomingRequestMessage | null {
  const request = new RequestMessage();
  request.ruri = new URI('sip', trunk.dialogUser, 'gateway.invalid');
  return fill(request, message) ? request : null;
}

/**
 * A response in the form that sip.js takes: one challenge instead of several, and provisional answers to INVITE
 * with the Contact and tag that sip.js insists on (proxies leave both out).
 */
export function toCoreResponse(message: SipMessage, trunk: Trunk): IncomingResponseMessage | null {
  const status = statusOf(message);
  const opensDialog = status > 100 && status < 300 && methodOf(message) === 'INVITE';
  if (opensDialog && status < 200) completeProvisional(message, trunk);
  const response = new IncomingResponseMessage();
  response.statusCode = status;
  response.reasonPhrase = reasonOf(message);
  if (!fill(response, message)) return null;
  // sip.js would drop it without a word, and the call would never end.
  if (opensDialog && (!response.toTag || !response.hasHeader('contact'))) return null;
  if (status === 401) showOneChallenge(response, message, 'WWW-Authenticate', trunk);
  if (status === 407) showOneChallenge(response, message, 'Proxy-Authenticate', trunk);
  return response;
}

/** Everything that requests and responses have alike. False: From, To or Contact holds no address, or one is missing. */
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

/** sip.js takes a body for SDP or not by these two; what it would parse anew is given to it parsed. */
function setBody(core: CoreMessage, message: SipMessage): void {
  core.body = message.body;
  const type = mainPart(headerOf(message, 'content-type'));
  if (type !== null) setParsed(core, 'Content-Type', type, type || UNKNOWN_TYPE);
  const disposition = mainPart(headerOf(message, 'content-disposition'));
  if (disposition) setParsed(core, 'Content-Disposition', disposition, { type: disposition });
}

/** A value without its parameters. */
function mainPart(value: string | null): string | null {
  return value === null ? null : value.split(';', 1)[0]!.trim().toLowerCase();
}

/** `name` as sip.js spells it. */
function setParsed(core: CoreMessage, name: string, raw: string, parsed: unknown): void {
  core.headers[name] = [{ raw, parsed }];
}

function setAddress(core: CoreMessage, name: string, raw: string | null): NameAddrHeader | null {
  const address = raw === null ? null : addressOf(raw);
  if (address !== null) setParsed(core, name, raw!, address);
  return address;
}

/** The first one is where the dialog's requests go; redirections and registrations are read as text. */
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

/** The address with its tag; sip.js asks for no more. Null: its URI is none. */
function addressOf(value: string): NameAddrHeader | null {
  const text = uriInHeader(value);
  const uri = /^[a-z][a-z0-9+.-]*:/i.test(text) ? Grammar.URIParse(clothed(text)) : undefined;
  if (uri === undefined) return null;
  const tag = headerParameter(value, 'tag');
  // sip.js types the name as always given, and leaves it undefined itself.
  return new NameAddrHeader(uri, undefined as unknown as string, tag ? { tag } : {});
}

/** A `tel:` URI, or one of a scheme that sip.js does not know, as a `sip:` URI. */
function clothed(uri: string): string {
  const known = parseSipUri(uri);
  if (known !== null && known.scheme !== 'tel') return uri;
  return `sip:${encodeURIComponent(known?.user ?? 'unknown')}@tel.invalid`;
}

/** The challenge under the name by which the credentials find it again. */
function showOneChallenge(core: CoreMessage, message: SipMessage, name: string, trunk: Trunk): void {
  const challenge = chooseChallenge(headersOf(message, name.toLowerCase()), trunk.settings.realm);
  if (challenge === null) return;
  const nonce = trunk.challenges.add(challenge);
  setParsed(core, name, '', { realm: 'trunk', nonce, stale: challenge.stale });
}

function completeProvisional(message: SipMessage, trunk: Trunk): void {
  const contact = uriInHeader(headerOf(message, 'contact') ?? '');
  if (Grammar.URIParse(contact) === undefined) {
    removeHeader(message, 'contact');
    const { host, port } = trunk.settings;
    message.headers.push({ name: 'contact', value: `<sip:${hostInUri(host)}:${port}>` });
  }
  const to = message.headers.find((header) => header.name === 'to');
  if (to !== undefined && !headerParameter(to.value, 'tag')) to.value = `<${uriInHeader(to.value)}>;tag=none`;
}
