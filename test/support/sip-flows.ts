import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from './certificate.ts';
import { parseSip, type SipMessage, sipBytes, sipStream } from './sip-message.ts';

/** Where a message came from, and the way back. */
export interface SipFlow {
  readonly id: string;
  readonly protocol: 'UDP' | 'TCP' | 'TLS';
  readonly host: string;
  readonly port: number;
  send(message: SipMessage): void;
}

export interface SipFlowsOptions {
  readonly host: string;
  /** UDP and TCP. */
  readonly port: number;
  /** Adds TLS on `port + 1`. */
  readonly certificate?: Certificate;
}

const PING = '\r\n\r\n';

/** The registrar's sockets. */
export class SipFlows {
  readonly #byId = new Map<string, SipFlow>();
  readonly #onMessage: (message: SipMessage, flow: SipFlow) => void;
  readonly #udp: UdpSocket = createSocket('udp4');
  readonly #servers: Server[] = [];
  readonly #connections = new Set<Socket>();

  private constructor(onMessage: (message: SipMessage, flow: SipFlow) => void) {
    this.#onMessage = onMessage;
  }

  static async open(
    options: SipFlowsOptions,
    onMessage: (message: SipMessage, flow: SipFlow) => void,
  ): Promise<SipFlows> {
    const flows = new SipFlows(onMessage);
    flows.#udp.on('message', (bytes, { address, port }) => {
      const message = parseSip(bytes);
      if (message !== null) onMessage(message, flows.udpFlow(address, port));
    });
    await new Promise<void>((resolve) => flows.#udp.bind(options.port, options.host, resolve));
    await flows.#listen(
      createServer((socket) => flows.#accept(socket, 'TCP')),
      options.port,
      options.host,
    );
    if (options.certificate !== undefined) {
      const { certPath, keyPath } = options.certificate;
      const credentials = { cert: readFileSync(certPath), key: readFileSync(keyPath) };
      const tls = createTlsServer(credentials, (socket) => flows.#accept(socket, 'TLS'));
      await flows.#listen(tls, options.port + 1, options.host);
    }
    return flows;
  }

  /** A flow that has been used before; null when its connection is gone. */
  get(id: string): SipFlow | null {
    return this.#byId.get(id) ?? null;
  }

  udpFlow(host: string, port: number): SipFlow {
    const id = `UDP-${host}-${port}`;
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const send = (message: SipMessage) => this.#udp.send(sipBytes(message), port, host);
    const flow: SipFlow = { id, protocol: 'UDP', host, port, send };
    this.#byId.set(id, flow);
    return flow;
  }

  /** Breaks every TCP and TLS connection, as a restarting proxy does. */
  dropConnections(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  async close(): Promise<void> {
    this.dropConnections();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await new Promise<void>((resolve) => this.#udp.close(resolve));
  }

  #accept(socket: Socket, protocol: 'TCP' | 'TLS'): void {
    const host = socket.remoteAddress ?? '';
    const port = socket.remotePort ?? 0;
    const id = `${protocol}-${host}-${port}`;
    const flow: SipFlow = {
      id,
      protocol,
      host,
      port,
      send: (message) => void socket.write(sipBytes(message)),
    };
    this.#byId.set(id, flow);
    this.#connections.add(socket);
    const read = sipStream((message) => this.#onMessage(message, flow));
    socket.on('data', (bytes: Buffer) => {
      // RFC 5626 section 3.5.1: a ping is answered at once.
      if (bytes.toString('latin1') === PING) socket.write('\r\n');
      else read(bytes);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#byId.delete(id);
    });
  }

  #listen(server: Server, port: number, host: string): Promise<void> {
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  }
}
