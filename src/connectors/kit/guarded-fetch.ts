import { GatewayError } from '../../base/errors.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../base/find-addresses.ts';
import { type AddressRule, isClosedLiteral } from '../../base/public-address.ts';

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
  let opened: ReturnType<typeof openWays> | null = null;
  const openWays = async () => {
    // It takes memory and time to load, and only servers whose URLs people give need it.
    const { Agent, fetch } = (await import('./fetch-library.ts')).undici;
    const wayTo = (rule: AddressRule) =>
      new Agent({ connect: { lookup: guardedLookup(findAddresses, rule) } });
    return { fetch, secured: wayTo(isOpen), plain: wayTo(isTrusted) };
  };
  const guarded = async (url: string | URL, init: object): Promise<unknown> => {
    const { protocol, hostname } = new URL(url);
    const isSecured = protocol === 'https:';
    if (isClosedLiteral(hostname, isSecured ? isOpen : isTrusted)) throw new GatewayError('server_blocked');
    opened ??= openWays();
    const { fetch, secured, plain } = await opened;
    try {
      return await fetch(url, { ...init, dispatcher: isSecured ? secured : plain });
    } catch (error) {
      throw isClosedAddress((error as Error).cause) ? new GatewayError('server_blocked') : error;
    }
  };
  return guarded as unknown as typeof fetch;
}
