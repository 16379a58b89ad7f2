import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressRule } from './public-address.ts';

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

const HOSTS_FILE = '/etc/hosts';
const LOCALHOST = ['127.0.0.1', '::1'];

/**
 * As `others`, but names of this machine come first: `localhost` and those of the hosts file, if the operator trusts
 * their addresses. Other entries stay ignored, so nobody learns what they are.
 */
export function trustedHostsOr(
  others: FindAddresses,
  isTrusted: AddressRule,
  hostsFile = HOSTS_FILE,
): FindAddresses {
  return async (host) => {
    const found = host === 'localhost' ? LOCALHOST : await addressesInFile(hostsFile, host);
    const trusted = found.filter(isTrusted);
    return trusted.length > 0 ? trusted : await others(host);
  };
}

/** hosts(5): an address and its names on each line. Names do not depend on case. */
async function addressesInFile(path: string, host: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === host.toLowerCase())
      ? [address]
      : [];
  });
}

/** A host has an address that connections may not have. */
class ClosedAddress extends Error {
  override readonly name = 'ClosedAddress';
}

export function isClosedAddress(error: unknown): boolean {
  return error instanceof ClosedAddress;
}

/**
 * Returns the addresses of a host, which all conform to a rule. Rejects with an error that `isClosedAddress` knows when one
 * of them does not, and with an ENOTFOUND when there are none.
 */
export async function openAddresses(
  findAddresses: FindAddresses,
  isOpen: AddressRule,
  host: string,
): Promise<readonly [string, ...string[]]> {
  const [first, ...others] = await findAddresses(host).catch(() => []);
  if (first === undefined) throw notFound(host);
  if (![first, ...others].every(isOpen)) throw new ClosedAddress('the host is not public');
  return [first, ...others];
}

/**
 * `lookup` of sockets that may only connect to addresses of a rule. All addresses of a host must conform, and the socket
 * gets just these, so nobody can answer differently a second time. An IP address in place of a name is not looked up:
 * check it apart.
 */
export function guardedLookup(findAddresses: FindAddresses, isOpen: AddressRule): LookupFunction {
  return (host, { all }, done) => {
    openAddresses(findAddresses, isOpen, host).then(
      (addresses) => {
        const [first] = addresses;
        if (all)
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else done(null, first, isIP(first));
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}
