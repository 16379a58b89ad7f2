import { headerOf, headersOf, requestUriOf, type SipMessage } from '../message/sip-message.ts';
import { parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { parseVia } from '../message/via.ts';

/** Limit on user parts considered; more than any network sends. */
const MAX_NUMBERS = 10;

/** Data of an INVITE from before its Request-URI was rewritten for sip.js. */
export interface Dialled {
  /** User parts that may be the called number, most trusted first. */
  readonly numbers: readonly string[];
  /** User part of the caller: a number or a name. */
  readonly caller: string;
  /** Source address of the message. */
  readonly signalingHost: string;
  /** Whether the caller supports or requires reliable provisional responses (RFC 3262). */
  readonly wantsReliableProvisional: boolean;
}

/**
 * Reads the possible places of the called number. Networks put it in P-Called-Party-ID (RFC 7315), in the Request-URI,
 * in To when the Request-URI is our registered Contact, and in Diversion (RFC 5806) after a transfer.
 */
export function dialledOf(message: SipMessage, extensions: readonly string[]): Dialled {
  const uris = [
    ...headersOf(message, 'p-called-party-id').map(uriInHeader),
    requestUriOf(message),
    uriInHeader(headerOf(message, 'to') ?? ''),
    ...headersOf(message, 'diversion').map(uriInHeader),
  ];
  const numbers = uris.map((uri) => parseSipUri(uri)?.user ?? '').filter((user) => user !== '');
  return {
    numbers: numbers.slice(0, MAX_NUMBERS),
    caller: callerOf(message),
    signalingHost: sourceHostOf(message),
    wantsReliableProvisional: extensions.includes('100rel'),
  };
}

/** Source address as stamped into the top Via. */
function sourceHostOf(message: SipMessage): string {
  const via = parseVia(headerOf(message, 'via') ?? '');
  return via === null ? '' : (via.received ?? via.host);
}

/** Prefers the asserted identity (RFC 3325), which the trunk vouches for, over From, which anyone can set. */
function callerOf(message: SipMessage): string {
  const asserted = headersOf(message, 'p-asserted-identity').map(uriInHeader);
  const users = [...asserted, uriInHeader(headerOf(message, 'from') ?? '')].map((uri) => parseSipUri(uri));
  return users.find((uri) => uri !== null && uri.user !== '')?.user ?? 'anonymous';
}
