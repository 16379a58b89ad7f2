import type { SipTrunk } from '../../../contract/sip-accounts.ts';
import type { URI } from '../core/sip-core.ts';
import { uriOf } from '../core/uri-grammar.ts';
import { headerParameter, hostInUri, parseSipUri, type SipUri, uriInHeader } from '../message/sip-uri.ts';

const MAX_TARGET_CHARACTERS = 1_024;

/** Reads the agent's dial target; null when it is not a SIP, SIPS or TEL URI with a user. */
export function readTarget(text: string): SipUri | null {
  if (text.length > MAX_TARGET_CHARACTERS) return null;
  const uri = parseSipUri(text.trim());
  return uri === null || uri.user === '' ? null : uri;
}

/**
 * Returns the Request-URI for a target over a trunk; null when there is none. `sips:` requires TLS end to end, which only a
 * TLS trunk can promise.
 */
export function trunkTarget(uri: SipUri, trunk: SipTrunk): URI | null {
  if (uri.scheme === 'sips' && trunk.transport !== 'tls') return null;
  return uriOf(uri.scheme === 'tel' ? telephone(uri, trunk) : overTrunk(uri, trunk));
}

/** Telephone numbers are routed by the trunk, with their parameters in the user part (RFC 3261 section 19.1.6). */
function telephone({ user, parameters }: SipUri, trunk: SipTrunk): string {
  return `sip:${user.replace(/[().-]/g, '')}${suffix(parameters)}@${hostOf(trunk)};user=phone`;
}

function overTrunk(uri: SipUri, trunk: SipTrunk): string {
  const isTrunk = uri.port === null && uri.host.toLowerCase() === trunk.host.toLowerCase();
  const place = isTrunk ? hostOf(trunk) : uri.port === null ? uri.host : `${uri.host}:${uri.port}`;
  const user = `${encodeUser(uri.user)}${suffix(uri.userParameters)}`;
  return `${uri.scheme}:${user}@${place}${suffix(uri.parameters)}`;
}

function suffix(parameters: string): string {
  return parameters === '' ? '' : `;${parameters}`;
}

function hostOf({ host, port }: SipTrunk): string {
  return port === 5060 ? hostInUri(host) : `${hostInUri(host)}:${port}`;
}

/** Encodes a user part without its parameters, except for the characters that RFC 3261 allows unescaped, above all the plus. */
export function encodeUser(user: string): string {
  return encodeURIComponent(user).replace(/%(2B|26|3D|24|2C|3F|2F)/gi, (escaped) =>
    decodeURIComponent(escaped),
  );
}

/**
 * Returns the Contacts of a 3xx that stay on the trunk, in the order in which to try them. Our credentials and permissions
 * are meaningless elsewhere. Telephone numbers go over the trunk.
 */
export function redirectTargets(contacts: readonly string[], trunk: SipTrunk): URI[] {
  const host = trunk.host.toLowerCase();
  return byPreference(contacts).flatMap((contact) => {
    const uri = readTarget(uriInHeader(contact));
    const isHere = uri !== null && (uri.scheme === 'tel' || uri.host.toLowerCase() === host);
    return (isHere ? trunkTarget(uri, trunk) : null) ?? [];
  });
}

/** Sorts Contacts by `q`, highest first, of which the default is 1 (RFC 3261 section 8.1.3.4). */
export function byPreference(contacts: readonly string[]): string[] {
  return contacts.toSorted((one, other) => preferenceOf(other) - preferenceOf(one));
}

function preferenceOf(contact: string): number {
  const text = headerParameter(contact, 'q');
  const q = Number(text ?? 1);
  return text === '' || Number.isNaN(q) ? 1 : Math.min(Math.max(q, 0), 1);
}

/** Removes the characters that would end the quoted string or the header line. */
export function displayName(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go.
  return text.replace(/["\\\u0000-\u001f\u007f]/g, '').trim();
}
