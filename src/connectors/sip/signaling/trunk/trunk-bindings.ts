import { isIP } from 'node:net';
import { type AddressRule, addressesIn } from '../../../../base/public-address.ts';

/** The operator's word that calls from an address are an account's. */
export interface TrunkBinding {
  /** An account's id, or `operator` for the operator's own account. */
  readonly account: string;
  /** An IP address or a subnet. */
  readonly subnet: string;
}

/** All bindings; of several that hold for an address the narrowest counts. */
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

/** Bits of an address that the subnet leaves open. */
function openBits(subnet: string): number {
  const [network = '', prefix] = subnet.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  return bits - Number(prefix ?? bits);
}
