import type { SipProtocol } from '../transport/wire.ts';
import type { NaptrRecord } from './dns.ts';

/** SIP over one transport, as a domain offers it. */
export interface SipService {
  readonly protocol: SipProtocol;
  /** Name of its SRV records. */
  readonly name: string;
}

/** Services in NAPTR records (RFC 3263 section 4.1). */
const PROTOCOLS: Readonly<Record<string, SipProtocol>> = {
  'SIPS+D2T': 'tls',
  'SIP+D2T': 'tcp',
  'SIP+D2U': 'udp',
};

export function defaultPort(protocol: SipProtocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** Returns the service under its usual name (RFC 3263 section 4.1). */
export function usualService(host: string, protocol: SipProtocol): SipService {
  const name = protocol === 'tls' ? `_sips._tcp.${host}` : `_sip._${protocol}.${host}`;
  return { protocol, name };
}

/**
 * Returns the services that NAPTR records name: TLS first, whatever the domain prefers, because nobody on the way may read
 * what is dialled; the others in the domain's order.
 */
export function namedServices(records: readonly NaptrRecord[]): SipService[] {
  const services = records
    .filter(({ flags, regexp, replacement }) => /^s$/i.test(flags) && regexp === '' && replacement !== '')
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ service, replacement }) => {
      const protocol = PROTOCOLS[service.toUpperCase()];
      return protocol === undefined ? [] : [{ protocol, name: replacement }];
    });
  return services.toSorted((a, b) => Number(b.protocol === 'tls') - Number(a.protocol === 'tls'));
}
