import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { plainAddress } from './wire.ts';

/** The address of ours that the system's routes would use towards `remoteHost` (an IP address); sends nothing. */
export function localAddressTowards(remoteHost: string, remotePort: number): Promise<string> {
  const socket = createSocket(isIPv6(remoteHost) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => resolve(plainAddress(socket.address().address)));
    // Without a callback of its own, `connect` reports a missing route as an 'error' event.
    socket.connect(remotePort, remoteHost);
  }).finally(() => socket.close());
}
