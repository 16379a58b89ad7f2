import { addressesIn } from '../../../../base/public-address.ts';

/** Addresses that are only valid inside one network (RFC 1918, RFC 6598, RFC 4193, loopback, link-local). */
const isPrivate = addressesIn([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1',
]);

/** Whether a host is an IP address that is unreachable from outside its network; false for names. */
export function isPrivateAddress(host: string): boolean {
  return isPrivate(host.replace(/^\[|\]$/g, ''));
}
