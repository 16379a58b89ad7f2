import { isIP } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { GatewayError } from '../../base/errors.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../base/find-addresses.ts';
import type { AddressRule } from '../../base/public-address.ts';

export interface GuardedFetchDeps {
  readonly findAddresses: FindAddresses;
  /** Addresses that servers may have. */
  readonly isOpen: AddressRule;
}

/**
 * `fetch` for servers whose URLs people give: never from inside this machine's network (SSRF), unless the operator allows it.
 * Every connection goes to a checked address. Rejects with GatewayError `server_blocked`, without a reason.
 */
export function guardedFetch({ findAddresses, isOpen }: GuardedFetchDeps): typeof fetch {
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(findAddresses, isOpen) } });
  const guarded = async (url: string | URL, init: object): Promise<unknown> => {
    const literal = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isOpen(literal)) throw new GatewayError('server_blocked');
    try {
      return await undiciFetch(url, { ...init, dispatcher });
    } catch (error) {
      throw isClosedAddress((error as Error).cause) ? new GatewayError('server_blocked') : error;
    }
  };
  return guarded as unknown as typeof fetch;
}
