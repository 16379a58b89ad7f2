import { createSocket, type Socket } from 'node:dgram';
import { isIPv4, isIPv6 } from 'node:net';
import { lookUpAddress } from '../../../../base/address-lookup.ts';
import { plainAddress, type ReceiveMessage } from './wire.ts';

const BUFFER_BYTES = 1 << 20;

/**
 * The single UDP socket for SIP. It both listens and sends, so that replies return the way they came (RFC 3261 section
 * 18).
 */
export class UdpTransport {
  readonly #receive: ReceiveMessage;
  #socket: Socket | null = null;
  #isIPv6 = false;

  constructor(receive: ReceiveMessage) {
    this.#receive = receive;
  }

  /** `host` must be an IP address. Rejects with the system's error, for example `EADDRINUSE`. */
  async listen(host: string, port: number): Promise<number> {
    this.#isIPv6 = isIPv6(host);
    const socket = createSocket({ type: this.#isIPv6 ? 'udp6' : 'udp4', lookup: lookUpAddress });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: host, port, exclusive: true }, resolve);
    }).catch((error: unknown) => {
      socket.close();
      throw error;
    });
    this.#serve(socket);
    return socket.address().port;
  }

  #serve(socket: Socket): void {
    socket.removeAllListeners('error');
    // ICMP errors surface here; the transaction's timer handles their consequences.
    socket.on('error', () => {});
    socket.on('message', (bytes, from) =>
      this.#receive(bytes, {
        protocol: 'udp',
        host: plainAddress(from.address),
        port: from.port,
        connection: null,
      }),
    );
    socket.setRecvBufferSize(BUFFER_BYTES);
    socket.setSendBufferSize(BUFFER_BYTES);
    this.#socket = socket;
  }

  /** `host` must be an IP address. The datagram has been handed to the kernel when this returns. */
  send(text: string, host: string, port: number): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return Promise.reject(new Error('UDP transport is closed'));
    // An IPv6 socket reaches IPv4 peers by their mapped addresses.
    const address = this.#isIPv6 && isIPv4(host) ? `::ffff:${host}` : host;
    return new Promise((resolve, reject) => {
      socket.send(text, port, address, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }
}
