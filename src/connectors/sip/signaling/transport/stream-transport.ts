import { connect as connectTcp, createServer, isIP, type Server, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  createServer as createTlsServer,
  type PeerCertificate,
  rootCertificates,
  type TlsOptions,
} from 'node:tls';
import type { Clock } from '../../../../base/time.ts';
import { TrunkFault } from '../trunk/trunk-fault.ts';
import { type InboundConnections, type InboundPlace, UNPROVEN_MS } from './inbound-connections.ts';
import { StreamConnection } from './stream-connection.ts';
import { type Connection, type Destination, plainAddress, type ReceiveMessage } from './wire.ts';

/** How TLS peers' certificates are verified. */
export interface TlsTrust {
  /** PEM of certificate authorities in addition to the default ones. */
  readonly ca?: string;
  /** Accepts any certificate; for testing only. */
  readonly insecure?: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_INBOUND_CONNECTIONS = 1_000;

/** A SIP URI without a user in the list of a certificate's alternative names. */
const SIP_DOMAIN = /(?:^|, )URI:sip:([a-z0-9.-]+)(?=,|$)/gi;

/** TCP and TLS for SIP: listeners and outbound connections (RFC 3261 section 18). */
export class StreamTransport {
  readonly #clock: Clock;
  readonly #trust: TlsTrust;
  readonly #receive: ReceiveMessage;
  readonly #inbound: InboundConnections;
  /** Callbacks of strangers' connections, to be called when proven, by peer address and port. */
  readonly #unproven = new Map<string, () => void>();
  readonly #servers = new Set<Server>();
  readonly #connections = new Set<Connection>();

  constructor(clock: Clock, trust: TlsTrust, inbound: InboundConnections, receive: ReceiveMessage) {
    this.#clock = clock;
    this.#trust = trust;
    this.#inbound = inbound;
    this.#receive = receive;
  }

  listenTcp(host: string, port: number): Promise<number> {
    const server = createServer((socket) => {
      if (this.#admit(socket)) this.#welcome(socket, 'tcp');
    });
    return this.#listen(server, host, port);
  }

  listenTls(host: string, port: number, certificate: TlsOptions): Promise<number> {
    const options: TlsOptions = {
      ...certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    };
    const server = createTlsServer(options, (socket) => this.#welcome(socket, 'tls'));
    // Strangers are counted before the handshake, or they would take the places of known peers.
    server.prependListener('connection', (socket: Socket) => void this.#admit(socket));
    // A failed handshake is the peer's problem; one that times out is ended here.
    server.on('tlsClientError', (_error, socket) => void socket.destroy());
    return this.#listen(server, host, port);
  }

  /** Opens a connection. `onClose` is called once when it ends. Rejects with TrunkFault, after at most 10 s. */
  async connect(destination: Destination, onClose: () => void): Promise<Connection> {
    const { host, port } = destination;
    const isTls = destination.protocol === 'tls';
    const socket = isTls ? this.#connectTls(destination) : connectTcp({ host, port });
    let isConnected = false;
    socket.once('connect', () => {
      isConnected = true;
    });
    await this.#established(socket, isTls ? 'secureConnect' : 'connect').catch((error: unknown) => {
      throw new TrunkFault(isConnected ? 'tls_failed' : 'unreachable', error);
    });
    const connection = this.#adopt(socket, isTls ? 'tls' : 'tcp', null);
    socket.once('close', onClose);
    return connection;
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
      checkServerIdentity: checkSipIdentity,
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

  /** Closes a connection when the limit for its address, or for all strangers, is reached. */
  #admit(socket: Socket): boolean {
    const place = this.#inbound.enter(plainAddress(socket.remoteAddress ?? ''));
    if (place === null) {
      socket.destroy();
      return false;
    }
    if (place.isKnown) socket.once('close', () => place.leave());
    else this.#watchUnproven(socket, place);
    return true;
  }

  #watchUnproven(socket: Socket, place: InboundPlace): void {
    const peer = peerOf(socket);
    const cancelDeadline = this.#clock.after(UNPROVEN_MS, () => socket.destroy());
    this.#unproven.set(peer, () => {
      cancelDeadline();
      place.proven();
    });
    socket.once('close', () => {
      this.#unproven.delete(peer);
      cancelDeadline();
      place.leave();
    });
  }

  #welcome(socket: Socket, protocol: 'tcp' | 'tls'): void {
    if (socket.destroyed) return;
    this.#adopt(socket, protocol, this.#unproven.get(peerOf(socket)) ?? null);
  }

  #adopt(socket: Socket, protocol: 'tcp' | 'tls', onProven: (() => void) | null): Connection {
    const connection = new StreamConnection(socket, protocol, {
      clock: this.#clock,
      receive: this.#receive,
      onProven,
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
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

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Checks that a certificate belongs to a SIP domain (RFC 5922 section 7.1): if it names SIP domains, it belongs to those and
 * to no others, else to its DNS names. Unlike section 7.2, wildcards count, since a SIP domain below a company's own is
 * often served with the company's certificate.
 */
function checkSipIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = certificate.subjectaltname ?? '';
  const domains =
    isIP(host) === 0 ? [...names.matchAll(SIP_DOMAIN)].map(([, domain]) => domain!.toLowerCase()) : [];
  if (domains.length === 0) return checkServerIdentity(host, certificate);
  if (domains.includes(host.toLowerCase())) return undefined;
  return new Error(`the certificate is for ${domains.join(', ')}, not for ${host}`);
}
