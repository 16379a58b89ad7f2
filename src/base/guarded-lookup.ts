import { isIP, type LookupFunction } from 'node:net';
import type { FindAddresses } from './find-addresses.ts';
import type { AddressRule } from './public-address.ts';

/** A host has an address that connections may not have. */
class ClosedAddress extends Error {
  override readonly name = 'ClosedAddress';
}

export function isClosedAddress(error: unknown): boolean {
  return error instanceof ClosedAddress;
}

/**
 * `lookup` of sockets that may only connect to addresses of a rule. All addresses of a host must conform, and the socket
 * gets just these, so nobody can answer differently a second time. An IP address in place of a name is not looked up:
 * check it apart.
 */
export function guardedLookup(findAddresses: FindAddresses, isOpen: AddressRule): LookupFunction {
  return (host, { all }, done) => {
    findAddresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) done(notFound(host), '');
        else if (!addresses.every(isOpen)) done(new ClosedAddress('the host is not public'), '');
        else if (all)
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else done(null, first, isIP(first));
      },
      () => done(notFound(host), ''),
    );
  };
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}
