import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { StreamFramer } from '../../../../../src/connectors/sip/signaling/transport/stream-framer.ts';

/** How a scripted peer's messages travel. */
export interface PeerWire {
  readonly protocol: 'UDP' | 'TCP' | 'TLS';
  readonly address: AddressInfo;
  gatewayPort: number;
  listen(host: string, receive: (bytes: Buffer) => void): Promise<void>;
  send(text: string | Buffer): void;
  close(): void;
}

export class UdpWire implements PeerWire {
  readonly protocol = 'UDP';
  gatewayPort = 0;
  readonly #socket = createSocket('udp4');

  get address(): AddressInfo {
    return this.#socket.address();
  }

  async listen(host: string, receive: (bytes: Buffer) => void): Promise<void> {
    this.#socket.on('message', receive);
    this.#socket.bind(0, host);
    await once(this.#socket, 'listening');
  }

  send(text: string | Buffer): void {
    this.#socket.send(text, this.gatewayPort, '127.0.0.1');
  }

  close(): void {
    this.#socket.close();
  }
}

/** A server for TCP, or TLS if it has a certificate. It sends to whoever connected last. */
export class StreamWire implements PeerWire {
  readonly protocol: 'TCP' | 'TLS';
  gatewayPort = 0;
  /** The connections so far. */
  readonly sockets: Socket[] = [];
  readonly #server: Server;
  #receive: (bytes: Buffer) => void = () => {};

  constructor(certificate: TlsOptions | null = null) {
    const welcome = (socket: Socket): void => this.#welcome(socket);
    this.protocol = certificate === null ? 'TCP' : 'TLS';
    this.#server = certificate === null ? createServer(welcome) : createTlsServer(certificate, welcome);
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async listen(host: string, receive: (bytes: Buffer) => void): Promise<void> {
    this.#receive = receive;
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  send(text: string | Buffer): void {
    this.sockets.at(-1)!.write(text);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  #welcome(socket: Socket): void {
    this.sockets.push(socket);
    const framer = new StreamFramer();
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const message of framer.push(bytes) ?? []) this.#receive(message);
    });
  }
}
