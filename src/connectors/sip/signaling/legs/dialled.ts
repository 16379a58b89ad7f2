import type { CallerHeader } from '../../../contract/sip-accounts.ts';
import { splitList } from '../message/list-header.ts';
import { headerOf, headersOf, requestUriOf, type SipMessage, tokensOf } from '../message/sip-message.ts';
import { parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { parseVia } from '../message/via.ts';
import { callerOf } from './caller.ts';
import { type ToldHeaders, toldHeaders } from './told-headers.ts';

/** Limit on user parts considered; more than any network sends. */
const MAX_NUMBERS = 10;

/** Data of an INVITE from before its Request-URI was rewritten for sip.js. */
export interface Dialled {
  /** User parts that may be the called number, most trusted first. */
  readonly numbers: readonly string[];
  /** User part of the caller, a number or a name; `anonymous` when it is withheld. */
  readonly caller: string;
  /** What else the agent is told. */
  readonly headers: ToldHeaders;
  /** Source address of the message. */
  readonly signalingHost: string;
  /** What the caller says of reliable provisional responses (RFC 3262). */
  readonly reliability: 'none' | 'supported' | 'required';
}

/**
 * Reads the possible places of the called number. Networks put it in P-Called-Party-ID (RFC 7315), in the Request-URI,
 * in To when the Request-URI is our registered Contact, and in Diversion (RFC 5806) or History-Info (RFC 7044) after a
 * transfer.
 */
export function dialledOf(message: SipMessage, callerFrom: CallerHeader): Dialled {
  const uris = [
    ...urisIn(message, 'p-called-party-id'),
    requestUriOf(message),
    uriInHeader(headerOf(message, 'to') ?? ''),
    ...urisIn(message, 'diversion'),
    ...urisIn(message, 'history-info'),
  ];
  const numbers = uris.map((uri) => parseSipUri(uri)?.user ?? '').filter((user) => user !== '');
  return {
    numbers: numbers.slice(0, MAX_NUMBERS),
    caller: callerOf(message, callerFrom),
    headers: toldHeaders(message),
    signalingHost: sourceHostOf(message),
    reliability: reliabilityOf(message),
  };
}

function urisIn(message: SipMessage, name: string): string[] {
  return headersOf(message, name).flatMap(splitList).map(uriInHeader);
}

function reliabilityOf(message: SipMessage): Dialled['reliability'] {
  if (tokensOf(message, 'require').includes('100rel')) return 'required';
  return tokensOf(message, 'supported').includes('100rel') ? 'supported' : 'none';
}

/** Source address as stamped into the top Via. */
function sourceHostOf(message: SipMessage): string {
  const via = parseVia(headerOf(message, 'via') ?? '');
  return via === null ? '' : (via.received ?? via.host);
}
