import { isIPv6 } from 'node:net';

/**
 * `lookup` replacement for sockets that only use IP addresses. It keeps `bind` and `send` away from the DNS resolver,
 * which delays even an IP address to a later iteration of the event loop.
 */
export function lookUpAddress(
  host: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void {
  done(null, host, isIPv6(host) ? 6 : 4);
}
