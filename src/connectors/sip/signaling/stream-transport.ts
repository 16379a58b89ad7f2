import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import {
  connect as connectTls,
  createServer as createTlsServer,
  rootCertificates,
  type TlsOptions,
} from 'node:tls';
import type { Clock } from '../../../base/time.ts';
import { StreamConnection } from './stream-connection.ts';
import { type Connection, type Destination, plainAddress, type ReceiveMessage } from './wire.ts';

/** How the certificates of TLS peers are checked. */
export interface TlsTrust {
  /** PEM of further authorities beside the system's. */
  readonly ca?: string;
  /** Takes any certificate; for laboratories. */
  readonly insecure?: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_INBOUND_CONNECTIONS = 1_000;

/** TCP and TLS for SIP: listeners, and connections that we open (RFC 3261 section 18). */
export class StreamTransport {
  readonly #clock: Clock;
  readonly #trust: TlsTrust;
  readonly #receive: ReceiveMessage;
  readonly #admits: (host: string) => boolean;
  readonly #servers = new Set<Server>();
  readonly #connections = new Set<Connection>();

  /** `admits` decides by address who may connect to us at all. */
  constructor(clock: Clock, trust: TlsTrust, admits: (host: string) => boolean, receive: ReceiveMessage) {
    this.#clock = clock;
    this.#trust = trust;
    this.#admits = admits;
    this.#receive = receive;
  }

  listenTcp(host: string, port: number): Promise<number> {
    return this.#listen(
      createServer((socket) => this.#welcome(socket, 'tcp')),
      host,
      port,
    );
  }

  listenTls(host: string, port: number, certificate: TlsOptions): Promise<number> {
    const options: TlsOptions = {
      ...certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    };
    const server = createTlsServer(options, (socket) => this.#welcome(socket, 'tls'));
    // Strangers go before the handshake, or they would hold the places of those who are known.
    server.prependListener('connection', (socket: Socket) => {
      if (!this.#admits(plainAddress(socket.remoteAddress ?? ''))) socket.destroy();
    });
    // A handshake that fails is the stranger's problem.
    server.on('tlsClientError', () => {});
    return this.#listen(server, host, port);
  }

  /** Opens a connection; `onClose` is told once when it ends. Rejects after 10 s at the latest. */
  async connect(destination: Destination, onClose: () => void): Promise<Connection> {
    const { host, port } = destination;
    const isTls = destination.protocol === 'tls';
    const socket = isTls ? this.#connectTls(destination) : connectTcp({ host, port });
    await this.#established(socket, isTls ? 'secureConnect' : 'connect');
    return this.#adopt(socket, isTls ? 'tls' : 'tcp', onClose);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const connection of this.#connections) connection.destroy();
    this.#servers.clear();
    this.#connections.clear();
  }

  #connectTls({ host, port, serverName }: Destination): Socket {
    return connectTls({
      host,
      port,
      servername: /^[\d.]+$|:/.test(serverName) ? '' : serverName,
      rejectUnauthorized: this.#trust.insecure !== true,
      minVersion: 'TLSv1.2',
      ...(this.#trust.ca === undefined ? {} : { ca: [...rootCertificates, this.#trust.ca] }),
    });
  }

  #established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        cancelTimeout();
        socket.destroy();
        reject(error);
      };
      const cancelTimeout = this.#clock.after(CONNECT_TIMEOUT_MS, () => fail(new Error('connect timed out')));
      socket.once('error', fail);
      socket.once(event, () => {
        cancelTimeout();
        socket.removeListener('error', fail);
        resolve();
      });
    });
  }

  #welcome(socket: Socket, protocol: 'tcp' | 'tls'): void {
    if (this.#admits(plainAddress(socket.remoteAddress ?? ''))) this.#adopt(socket, protocol);
    else socket.destroy();
  }

  #adopt(socket: Socket, protocol: 'tcp' | 'tls', onClose: () => void = () => {}): Connection {
    const connection = new StreamConnection(socket, protocol, this.#clock, this.#receive, () => {
      this.#connections.delete(connection);
      onClose();
    });
    this.#connections.add(connection);
    return connection;
  }

  async #listen(server: Server, host: string, port: number): Promise<number> {
    server.maxConnections = MAX_INBOUND_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    server.removeAllListeners('error');
    server.on('error', () => {});
    this.#servers.add(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }
}
