import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { FaultyPath, type NetworkFaults } from './udp-faults.ts';

/** Where a client's datagrams come from, as the server sees it. */
export interface MediaAddress {
  readonly address: string;
  readonly port: number;
}

/** The one who holds an SSRC. */
export interface MediaClient {
  discovered(at: MediaAddress): void;
  received(datagram: Buffer, from: MediaAddress): void;
}

const DISCOVERY_BYTES = 74;
const KEEP_ALIVE_BYTES = 8;
const SSRC_OFFSET = 8;

/** The UDP socket of a voice server: tells clients their own address, echoes keep-alives, and hands RTP to its SSRC. */
export class MediaSocket {
  readonly #socket: Socket;
  readonly #clients = new Map<number, MediaClient>();
  #inbound: FaultyPath | null = null;
  #outbound: FaultyPath | null = null;
  #isClosed = false;
  /** Datagrams that belong to nobody. */
  strays = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (datagram, from) => this.#receive(datagram, from));
    // A client that is gone answers with ICMP; there is nothing to do about it.
    socket.on('error', () => undefined);
  }

  static async open(): Promise<MediaSocket> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new MediaSocket(socket);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Makes the network bad from now on: `inbound` is from the clients. Null makes it good again. */
  fault(inbound: NetworkFaults | null, outbound: NetworkFaults | null): void {
    this.#inbound?.close();
    this.#outbound?.close();
    this.#inbound = inbound && new FaultyPath(inbound);
    this.#outbound = outbound && new FaultyPath(outbound);
  }

  add(ssrc: number, client: MediaClient): void {
    this.#clients.set(ssrc, client);
  }

  remove(ssrc: number): void {
    this.#clients.delete(ssrc);
  }

  send(datagram: Buffer, to: MediaAddress): void {
    const deliver = () => {
      if (!this.#isClosed) this.#socket.send(datagram, to.port, to.address);
    };
    if (this.#outbound) this.#outbound.pass(deliver);
    else deliver();
  }

  close(): void {
    this.fault(null, null);
    this.#isClosed = true;
    this.#socket.close();
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    if (datagram.length === KEEP_ALIVE_BYTES) {
      this.#socket.send(datagram, from.port, from.address);
    } else if (datagram.length === DISCOVERY_BYTES && datagram.readUInt16BE(0) === 1) {
      this.#tellAddress(datagram, from);
    } else if (this.#inbound) {
      this.#inbound.pass(() => this.#handOn(datagram, from));
    } else {
      this.#handOn(datagram, from);
    }
  }

  #handOn(datagram: Buffer, from: RemoteInfo): void {
    const ssrc = datagram.length >= SSRC_OFFSET + 4 ? datagram.readUInt32BE(SSRC_OFFSET) : 0;
    const client = this.#clients.get(ssrc);
    if (client) client.received(datagram, from);
    else this.strays += 1;
  }

  /** IP discovery: type 2, length 70, the SSRC, the address as text that ends with a zero, the port. */
  #tellAddress(request: Buffer, from: RemoteInfo): void {
    const client = this.#clients.get(request.readUInt32BE(4));
    if (!client || request.readUInt16BE(2) !== 70) return;
    const answer = Buffer.alloc(DISCOVERY_BYTES);
    request.copy(answer, 0, 0, SSRC_OFFSET);
    answer.writeUInt16BE(2, 0);
    answer.write(from.address, SSRC_OFFSET, 'ascii');
    answer.writeUInt16BE(from.port, DISCOVERY_BYTES - 2);
    client.discovered({ address: from.address, port: from.port });
    this.#socket.send(answer, from.port, from.address);
  }
}
