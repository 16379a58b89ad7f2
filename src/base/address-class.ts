import { isIP } from 'node:net';
import { addressesIn, isPublicAddress } from './public-address.ts';

/**
 * Network scope of an IP address. `special` addresses have no plain meaning (translated, wrapped, documentation);
 * `forbidden` ones are never allowed, whatever the settings.
 */
export type AddressClass = 'public' | 'private' | 'loopback' | 'special' | 'forbidden';

/** Unspecified, link-local (includes cloud metadata services), multicast, reserved. */
const FORBIDDEN_IPV4 = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata services and host agents of Alibaba, Azure and Oracle.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
];

/** Same as for IPv4. The last three are the metadata services of AWS, Google and Oracle. */
const FORBIDDEN_IPV6 = [
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
];

const isForbidden = addressesIn([...FORBIDDEN_IPV4, ...FORBIDDEN_IPV4.flatMap(wrapped), ...FORBIDDEN_IPV6]);
const isLoopback = addressesIn(['127.0.0.0/8', '::1']);
const isPrivate = addressesIn(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']);

export function addressClass(address: string): AddressClass {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return 'forbidden';
  // Checked before the forbidden ranges: `::1` equals 0.0.0.1 in the IPv4-compatible form.
  if (isLoopback(address)) return 'loopback';
  if (isForbidden(address)) return 'forbidden';
  if (isPrivate(address)) return 'private';
  return isPublicAddress(address) ? 'public' : 'special';
}

/** Returns an IPv4 subnet in NAT64, 6to4 and IPv4-compatible notation. BlockList already handles the mapped form. */
function wrapped(subnet: string): string[] {
  const [network = '', prefix] = subnet.split('/');
  const bits = Number(prefix);
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  return [
    `64:ff9b::${high}:${low}/${96 + bits}`,
    `2002:${high}:${low}::/${16 + bits}`,
    `::${high}:${low}/${96 + bits}`,
  ];
}
