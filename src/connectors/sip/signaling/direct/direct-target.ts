import { GatewayError } from '../../../../base/errors.ts';
import type { SipDomain } from '../address/resolver.ts';
import type { URI } from '../core/sip-core.ts';
import { uriOf } from '../core/uri-grammar.ts';
import { encodeUser } from '../legs/dial-target.ts';
import type { SipUri } from '../message/sip-uri.ts';
import type { SipProtocol } from '../transport/wire.ts';

/** Whom to call without a trunk, and where that is. */
export interface DirectTarget {
  readonly uri: URI;
  readonly domain: SipDomain;
}

/** The transports of a domain, the best first. */
const PREFERRED: readonly SipProtocol[] = ['tls', 'tcp', 'udp'];

/** Whether a host is one of `names`, which are in lower case. Each stands for itself and for all names below it. */
export function isHostIn(names: readonly string[], host: string): boolean {
  const plain = plainHost(host);
  return names.some((name) => plain === name || plain.endsWith(`.${name}`));
}

/** Returns a host name as it is compared: in lower case, without the dot of the root. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/**
 * Returns the Request-URI for a SIP or SIPS URI, and the servers to ask for it. A URI may name its transport and nothing
 * more: `maddr` would lead elsewhere, and headers would be followed by nobody. Throws GatewayError `invalid_meeting_url`.
 */
export function directTarget(target: SipUri): DirectTarget {
  if (target.headers !== '') throw invalid('must not have headers after a "?"');
  if (target.userParameters !== '' || target.hasPassword)
    throw invalid('must have neither parameters nor a password before the "@"');
  const { scheme, user, port } = target;
  const host = plainHost(target.host);
  const transport = transportIn(target.parameters);
  const place = port === null ? host : `${host}:${port}`;
  const suffix = transport === null ? '' : `;transport=${transport}`;
  const uri = uriOf(`${scheme}:${encodeUser(user)}@${place}${suffix}`);
  if (uri === null) throw invalid('is not a SIP URI');
  return { uri, domain: { host, port, protocols: protocolsOf(target, transport) } };
}

/** RFC 3263 section 4.1, but a URI with a port alone is tried over TCP, too. */
function protocolsOf({ scheme, port }: SipUri, transport: SipProtocol | null): readonly SipProtocol[] {
  if (scheme === 'sips') {
    // RFC 3261 section 26.2.2: with `sips`, `tcp` means TLS over TCP.
    if (transport === 'udp') throw invalid('has "sips", which excludes the transport "udp"');
    return ['tls'];
  }
  if (transport !== null) return [transport];
  if (port === null) return PREFERRED;
  return port === 5061 ? ['tls'] : ['tcp', 'udp'];
}

function transportIn(parameters: string): SipProtocol | null {
  if (parameters === '') return null;
  const value = /^transport=(udp|tcp|tls)$/i.exec(parameters)?.[1];
  if (value === undefined)
    throw invalid('may have no parameter but "transport", which is "udp", "tcp" or "tls"');
  return value.toLowerCase() as SipProtocol;
}

function invalid(text: string): GatewayError {
  return new GatewayError('invalid_meeting_url', `meeting_url ${text}`);
}
