import { addressClass } from '../../../../base/address-class.ts';
import { type AddressRule, addressesIn } from '../../../../base/public-address.ts';

/**
 * Restricts the addresses that trunks may use, so that no account reaches the gateway's own network over SIP or RTP.
 */
export class AddressPolicy {
  readonly #isAllowed: AddressRule;

  /** `allowed` lists the addresses and subnets that the operator opens to all accounts. */
  constructor(allowed: readonly string[]) {
    this.#isAllowed = addressesIn(allowed);
  }

  /** Whether a trunk may have its server at this address. */
  mayUse(address: string, ofOperator: boolean): boolean {
    const found = addressClass(address);
    if (found === 'public') return true;
    if (found === 'forbidden') return false;
    return this.#isAllowed(address) || (ofOperator && found !== 'special');
  }

  /**
   * Whether to follow an address that a peer names in SDP, Contact or Record-Route. Peers are strangers even on the
   * operator's trunk: they may only name an internal address where the trunk's own servers have such addresses.
   */
  mayFollow(address: string, ofOperator: boolean, servers: readonly string[]): boolean {
    if (!this.mayUse(address, ofOperator)) return false;
    const found = addressClass(address);
    if (found === 'public' || this.#isAllowed(address)) return true;
    const classes = servers.map(addressClass);
    // A PBX on this machine serves the phones of the surrounding network.
    return classes.includes('loopback') || (found === 'private' && classes.includes('private'));
  }
}

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
