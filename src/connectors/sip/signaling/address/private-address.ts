import { BlockList, isIP } from 'node:net';

/** Addresses that are only valid inside one network (RFC 1918, RFC 6598, RFC 4193, loopback, link-local). */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('127.0.0.0', 8);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addAddress('::1', 'ipv6');

/** Whether a host is an IP address that is unreachable from outside its network; false for names. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const version = isIP(address);
  return version !== 0 && PRIVATE.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
