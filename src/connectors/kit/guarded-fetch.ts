import { isIP } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { GatewayError } from '../../base/errors.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../base/find-addresses.ts';
import type { AddressRule } from '../../base/public-address.ts';

export interface GuardedFetchDeps {
  readonly findAddresses: FindAddresses;
  /** Addresses that servers may have. */
  readonly isOpen: AddressRule;
  /** Of these, the addresses that may be spoken to without TLS. */
  readonly isTrusted: AddressRule;
}

/**
 * `fetch` for servers whose URLs people give: never from inside this machine's network (SSRF), unless the operator allows it.
 * Every connection goes to a checked address. Rejects with GatewayError `server_blocked`, without a reason.
 */
export function guardedFetch({ findAddresses, isOpen, isTrusted }: GuardedFetchDeps): typeof fetch {
  const wayTo = (rule: AddressRule) => ({
    rule,
    dispatcher: new Agent({ connect: { lookup: guardedLookup(findAddresses, rule) } }),
  });
  const [secured, plain] = [wayTo(isOpen), wayTo(isTrusted)];
  const guarded = async (url: string | URL, init: object): Promise<unknown> => {
    const { protocol, hostname } = new URL(url);
    const { rule, dispatcher } = protocol === 'https:' ? secured : plain;
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !rule(literal)) throw new GatewayError('server_blocked');
    try {
      return await undiciFetch(url, { ...init, dispatcher });
    } catch (error) {
      throw isClosedAddress((error as Error).cause) ? new GatewayError('server_blocked') : error;
    }
  };
  return guarded as unknown as typeof fetch;
}
