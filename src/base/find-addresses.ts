import { Resolver } from 'node:dns/promises';

const TRY_MS = 2_000;
const TRIES = 2;

/** Finds all addresses of a host, IPv4 before IPv6. Rejects or returns an empty list when there are none. */
export type FindAddresses = (host: string) => Promise<readonly string[]>;

/**
 * Resolves through DNS on every call. The hosts file and search domains are ignored: they only apply to this machine.
 * `servers` replace the machine's own, for example `127.0.0.1:5353`.
 */
export function dnsAddresses(servers: readonly string[] = []): FindAddresses {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };
}
