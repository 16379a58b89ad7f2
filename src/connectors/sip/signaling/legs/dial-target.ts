import { Grammar, type URI } from 'sip.js/lib/core/index.js';
import type { SipTrunk } from '../../../contract/sip-accounts.ts';
import { hostInUri, parseSipUri, type SipUri, uriInHeader } from '../message/sip-uri.ts';

const MAX_TARGET_CHARACTERS = 1_024;

/** The Request-URI for what an agent wants to call; null when it is no SIP, SIPS or TEL URI. */
export function dialTarget(target: string, trunk: SipTrunk): URI | null {
  if (target.length > MAX_TARGET_CHARACTERS) return null;
  const uri = parseSipUri(target.trim());
  if (uri === null || uri.user === '') return null;
  return Grammar.URIParse(uri.scheme === 'tel' ? telephone(uri, trunk) : overTrunk(uri, trunk)) ?? null;
}

/** A telephone number is the trunk's to route (RFC 3261 section 19.1.6). */
function telephone({ user }: SipUri, trunk: SipTrunk): string {
  return `sip:${user.replace(/[().-]/g, '')}@${hostOf(trunk)};user=phone`;
}

/** `sips:` asks for TLS the whole way, which only a TLS trunk can promise. */
function overTrunk(uri: SipUri, trunk: SipTrunk): string {
  const scheme = uri.scheme === 'sips' && trunk.transport === 'tls' ? 'sips' : 'sip';
  const isTrunk = uri.port === null && uri.host.toLowerCase() === trunk.host.toLowerCase();
  const place = isTrunk ? hostOf(trunk) : uri.port === null ? uri.host : `${uri.host}:${uri.port}`;
  const parameters = uri.parameters === '' ? '' : `;${uri.parameters}`;
  return `${scheme}:${encodeUser(uri.user)}@${place}${parameters}`;
}

function hostOf({ host, port }: SipTrunk): string {
  return port === 5060 ? hostInUri(host) : `${hostInUri(host)}:${port}`;
}

/** Keeps what RFC 3261 allows in a user part unescaped, the plus above all. */
function encodeUser(user: string): string {
  return encodeURIComponent(user).replace(/%(2B|26|3D|24|2C|3B|3F|2F)/gi, (escaped) =>
    decodeURIComponent(escaped),
  );
}

/** The first Contact of a 3xx that stays on the trunk; elsewhere our credentials and rights mean nothing. */
export function redirectTarget(contacts: readonly string[], trunk: SipTrunk): URI | null {
  for (const contact of contacts) {
    const text = uriInHeader(contact);
    const uri = parseSipUri(text);
    if (uri !== null && uri.host.toLowerCase() === trunk.host.toLowerCase()) return dialTarget(text, trunk);
  }
  return null;
}

/** A display name without what would end the quoted string or the header line. */
export function displayName(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go.
  return text.replace(/["\\\u0000-\u001f\u007f]/g, '').trim();
}
