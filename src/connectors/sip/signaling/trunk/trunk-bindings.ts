import { isIP } from 'node:net';
import { addressesIn } from '../../../../base/public-address.ts';

/** Operator's assignment of calls from an address to an account. */
export interface TrunkBinding {
  /** An account id, or `operator` for the operator's own account. */
  readonly account: string;
  /** An IP address or subnet. */
  readonly subnet: string;
}

/** Returns the lookup of an address's account. The narrowest binding that matches the address wins. */
export function accountsByAddress(bindings: readonly TrunkBinding[]): (address: string) => string | null {
  const narrowestFirst = bindings
    .toSorted((a, b) => openBits(a.subnet) - openBits(b.subnet))
    .map(({ account, subnet }) => ({ account, holds: addressesIn([subnet]) }));
  return (address) => narrowestFirst.find(({ holds }) => holds(address))?.account ?? null;
}

/** Number of bits that the subnet does not fix. */
function openBits(subnet: string): number {
  const [network = '', prefix] = subnet.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  return bits - Number(prefix ?? bits);
}
