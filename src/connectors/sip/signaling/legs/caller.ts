import { WITHHELD_CALLER } from '../../../contract/connector.ts';
import { splitList } from '../message/list-header.ts';
import { headerOf, headersOf, type SipMessage } from '../message/sip-message.ts';
import { headerParameter, parseSipUri, uriInHeader } from '../message/sip-uri.ts';

/** Values of Privacy that ask to hide who calls (RFC 3323 section 4.2, RFC 3325 section 9.3). */
const WITHHOLDING = ['user', 'id', 'header', 'full'];
/** The same in Remote-Party-ID. */
const WITHHOLDING_PARTY = ['full', 'name', 'uri', 'id', 'yes'];

/**
 * Returns the user part of the caller, a number or a name; WITHHELD_CALLER when the caller withholds it. The trunk vouches for
 * P-Asserted-Identity (RFC 3325) and for its predecessor Remote-Party-ID; anyone can set From.
 */
export function callerOf(message: SipMessage): string {
  return (isWithheld(message) ? undefined : statedCallers(message)[0]) ?? WITHHELD_CALLER;
}

/** Returns whom the networks name as the caller, the most trusted first, also when the caller withholds it. */
export function statedCallers(message: SipMessage): string[] {
  const stated = [
    ...valuesOf(message, 'p-asserted-identity'),
    ...callingParties(message),
    headerOf(message, 'from') ?? '',
  ];
  return stated.map((value) => parseSipUri(uriInHeader(value))?.user ?? '').filter((user) => user !== '');
}

/** Whether the caller asks not to be shown, which goes before whatever the networks tell each other. */
export function isWithheld(message: SipMessage): boolean {
  const privacy = headersOf(message, 'privacy').flatMap((value) => value.toLowerCase().split(/[;,]/));
  if (privacy.some((each) => WITHHOLDING.includes(each.trim()))) return true;
  return callingParties(message).some((value) =>
    WITHHOLDING_PARTY.includes(headerParameter(value, 'privacy')?.toLowerCase() ?? ''),
  );
}

/** The values of Remote-Party-ID that are about who calls. */
function callingParties(message: SipMessage): string[] {
  return valuesOf(message, 'remote-party-id').filter((value) => {
    const party = headerParameter(value, 'party')?.toLowerCase();
    return party === undefined || party === 'calling';
  });
}

function valuesOf(message: SipMessage, name: string): string[] {
  return headersOf(message, name).flatMap(splitList);
}
