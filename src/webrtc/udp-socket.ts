import { createSocket, type Socket } from 'node:dgram';

/** IPv4 address and port. */
export type Address = readonly [host: string, port: number];

const RECEIVE_BUFFER_BYTES = 262_144;

/**
 * A UDP socket on all IPv4 addresses, as the library wants its transports. The library's own has no handler for errors, which
 * would end the thread.
 */
export class UdpSocket {
  readonly type = 'udp';
  readonly addressFamily = 4;
  closed = false;
  onData: (data: Buffer, from: Address) => void = () => undefined;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (data, { address, port }) => this.onData(data, [address, port]));
  }

  /** Rejects with the system's error, as when no descriptors are left. */
  static async bind(): Promise<UdpSocket> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER_BYTES });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Stays: whatever the system says of a packet later concerns nobody.
    socket.on('error', reject);
    socket.bind(0, resolve);
    await promise;
    return new UdpSocket(socket);
  }

  get address() {
    return this.#socket.address();
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Sends a packet, or loses it. Returns a promise only because the library waits for one. */
  send = async (data: Uint8Array, to?: Address): Promise<void> => {
    if (!this.closed && to !== undefined) this.#socket.send(data, to[1], to[0], ignore);
  };

  close = async (): Promise<void> => {
    if (this.closed) return;
    this.closed = true;
    this.onData = ignore;
    this.#socket.close();
  };
}

function ignore(): void {}
