import { isIP } from 'node:net';
import { type AddressRule, addressesIn } from '../../../../base/public-address.ts';

/** Operator's assignment of calls from an address to an account. */
export interface TrunkBinding {
  /** An account id, or `operator` for the operator's own account. */
  readonly account: string;
  /** An IP address or subnet. */
  readonly subnet: string;
}

/** All bindings. The narrowest one that matches an address wins. */
export class TrunkBindings {
  readonly #narrowestFirst: readonly { readonly account: string; readonly holds: AddressRule }[];

  constructor(bindings: readonly TrunkBinding[]) {
    this.#narrowestFirst = bindings
      .toSorted((a, b) => openBits(a.subnet) - openBits(b.subnet))
      .map(({ account, subnet }) => ({ account, holds: addressesIn([subnet]) }));
  }

  accountOf(address: string): string | null {
    return this.#narrowestFirst.find(({ holds }) => holds(address))?.account ?? null;
  }
}

/** Number of bits that the subnet does not fix. */
function openBits(subnet: string): number {
  const [network = '', prefix] = subnet.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  return bits - Number(prefix ?? bits);
}
