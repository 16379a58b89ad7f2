import { BlockList, isIP } from 'node:net';

/** Tests an IP address. Returns false for anything else. */
export type AddressRule = (address: string) => boolean;

/** IANA's special-purpose ranges, multicast, and addresses of cloud services. */
const isClosed = addressesIn([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Includes 169.254.169.254, the metadata service of AWS, Google, Azure and others.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's host agent, whose address looks public.
  '168.63.129.16',
  // Within global unicast: protocol assignments including Teredo, documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);
/** Of IPv6 only global unicast is allowed, which excludes forms that wrap an IPv4 address (mapped, NAT64). */
const isGlobalUnicast = addressesIn(['2000::/3']);

/** Returns whether an address belongs to the public internet. False for anything that is not an IP address. */
export const isPublicAddress: AddressRule = (address) => {
  const isPossible = isIP(address) === 4 || (!address.includes('%') && isGlobalUnicast(address));
  return isPossible && !isClosed(address);
};

/** Returns a rule that matches the given subnets (`10.0.0.0/8`) and single addresses. */
export function addressesIn(subnets: readonly string[]): AddressRule {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(network, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the IP address that a URL's host is, without the brackets of IPv6. Null: a name. */
export function literalIn(host: string): string | null {
  const literal = host.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? null : literal;
}

/**
 * Returns the IP address that a host is taken for. URL parsers and system libraries read `0x7f.1` and `2130706433` as
 * 127.0.0.1. Null: a name.
 */
export function addressReadIn(host: string): string | null {
  return literalIn(host) ?? literalIn(URL.parse(`http://${host}`)?.hostname ?? '');
}

/** Whether a URL's host is an IP address outside of a rule. Names are checked once they are looked up (`guardedLookup`). */
export function isClosedLiteral(host: string, isOpen: AddressRule): boolean {
  const literal = literalIn(host);
  return literal !== null && !isOpen(literal);
}

/** Returns a rule that matches public addresses and the operator's trusted subnets and addresses. */
export function publicOr(trusted: readonly string[]): AddressRule {
  const isTrusted = addressesIn(trusted);
  return (address) => isPublicAddress(address) || isTrusted(address);
}
