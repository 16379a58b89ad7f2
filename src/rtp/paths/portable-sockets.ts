import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { lookUpAddress } from '../../base/address-lookup.ts';
import { RECEIVE_BUFFER_BYTES } from '../rtp-protocol.ts';
import {
  type Datagram,
  type DatagramListener,
  guarded,
  type PacketPath,
  type SocketIo,
} from './packet-path.ts';

/** Packets queued for the kernel before further ones are dropped. A longer queue means that nothing is being sent. */
const MAX_UNSENT_PACKETS = 8;
/** The kernel may still read a packet when the next one is written, so a few buffers are used in turn. */
const BUFFERS = 16;
/** Longer than any outgoing packet. */
const BUFFER_BYTES = 1_500;

/** No thread ever notifies on this word, so waiting on it is sleeping. */
const sleepWord = new Int32Array(new SharedArrayBuffer(4));

/** Media I/O with Node's own sockets: an event for each packet received and a call for each packet sent. */
export const portableIo: SocketIo = {
  kind: 'portable',
  receive: () => {},
  send: () => {},
  precede: () => {},
  sleep: (milliseconds) => void Atomics.wait(sleepWord, 0, 0, milliseconds),
  open: async (options) => {
    const rtp = await bind(options.bindHost, options.rtpPort);
    try {
      return new PortableSockets(rtp, await bind(options.bindHost, options.rtpPort + 1));
    } catch (error) {
      rtp.close();
      throw error;
    }
  },
};

class PortableSockets implements PacketPath {
  readonly overflowed = 0;
  unsent = 0;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #buffers: Uint8Array[] = [];
  #turn = 0;
  #closed = false;

  constructor(rtp: Socket, rtcp: Socket) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
  }

  listen(listener: DatagramListener): void {
    deliver(
      this.#rtp,
      guarded((datagram) => listener.onRtp(datagram), listener),
    );
    deliver(
      this.#rtcp,
      guarded((datagram) => listener.onRtcp(datagram), listener),
    );
  }

  sendRtp(bytes: Uint8Array, length: number, port: number, host: string): void {
    if (this.#hasRoom(this.#rtp)) this.#rtp.send(this.#copyOf(bytes, length), 0, length, port, host);
  }

  sendRtcp(bytes: Uint8Array, length: number, port: number, host: string): void {
    if (this.#hasRoom(this.#rtcp)) this.#rtcp.send(this.#copyOf(bytes, length), 0, length, port, host);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#rtp.close();
    this.#rtcp.close();
  }

  /** Returns false, and counts the packet as unsent, when it cannot be sent. */
  #hasRoom(socket: Socket): boolean {
    const hasRoom = !this.#closed && socket.getSendQueueCount() < MAX_UNSENT_PACKETS;
    if (!hasRoom) this.unsent++;
    return hasRoom;
  }

  #copyOf(bytes: Uint8Array, length: number): Uint8Array {
    const copy = this.#nextBuffer();
    for (let i = 0; i < length; i++) copy[i] = bytes[i]!;
    return copy;
  }

  #nextBuffer(): Uint8Array {
    if (this.#buffers.length < BUFFERS) this.#buffers.push(new Uint8Array(BUFFER_BYTES));
    this.#turn = (this.#turn + 1) % this.#buffers.length;
    return this.#buffers[this.#turn]!;
  }
}

function deliver(socket: Socket, handle: (datagram: Datagram) => void): void {
  socket.on('message', (bytes, from) =>
    handle({ bytes, start: 0, end: bytes.length, from, arrivalMs: performance.now() }),
  );
}

async function bind(host: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: lookUpAddress });
  try {
    // Without a resolver in between, `bind` reports its outcome before it returns.
    const listening = once(socket, 'listening');
    socket.bind(port, host);
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  // ICMP errors for outgoing packets add nothing to the media timeout.
  socket.on('error', () => {});
  return socket;
}
