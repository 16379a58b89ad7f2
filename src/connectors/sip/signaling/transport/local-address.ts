import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { plainAddress } from './wire.ts';

/** Returns our address on the system's route to `remoteHost` (an IP address). Sends nothing. */
export function localAddressTowards(remoteHost: string, remotePort: number): Promise<string> {
  const socket = createSocket(isIPv6(remoteHost) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => resolve(plainAddress(socket.address().address)));
    // Without its own callback, `connect` reports a missing route as an 'error' event.
    socket.connect(remotePort, remoteHost);
  }).finally(() => socket.close());
}
