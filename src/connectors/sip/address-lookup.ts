import { isIPv6 } from 'node:net';

/**
 * For sockets that are only given addresses: keeps every `bind` and `send` clear of the resolver, and of the later turn
 * in which even an address comes out of it.
 */
export function lookUpAddress(
  host: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void {
  done(null, host, isIPv6(host) ? 6 : 4);
}
