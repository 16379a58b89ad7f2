import { connect } from 'node:net';
import { join } from 'node:path';
import type { IceServer } from '../../src/media/ice.ts';
import { makeCertificate } from './certificate.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { ownAddress } from './own-address.ts';
import { PeerServer } from './peer-server.ts';

const USERNAME = 'talk';
const CREDENTIAL = 'turned-around';

/** Debian's coturn, which relays on this machine: over UDP, TCP, and TLS with a certificate of its own. */
export class Coturn extends PeerServer {
  /** In a file, for whoever trusts it. */
  readonly certificate = makeCertificate(this.folder);
  protected readonly program = 'coturn';

  private constructor(claim: PortClaim) {
    super(claim);
  }

  static async start(): Promise<Coturn> {
    return await new Coturn(await claimSignalingPorts(2)).begin();
  }

  server(transport: 'udp' | 'tcp' | 'tls'): IceServer {
    const over = `turn:127.0.0.1:${this.port}?transport=${transport}`;
    const url = transport === 'tls' ? `turns:127.0.0.1:${this.#tlsPort}?transport=tcp` : over;
    return { urls: [url], username: USERNAME, credential: CREDENTIAL };
  }

  get #tlsPort(): number {
    return this.port + 1;
  }

  protected command(): readonly string[] {
    const { certPath, keyPath } = this.certificate;
    return [
      'turnserver',
      ...['-n', '--log-file', 'stdout', '--verbose', '--pidfile', join(this.folder, 'pid')],
      ...['--listening-ip', '127.0.0.1', '--relay-ip', ownAddress(), '--allow-loopback-peers', '--no-cli'],
      ...['--listening-port', `${this.port}`, '--tls-listening-port', `${this.#tlsPort}`, '--no-rfc5780'],
      ...['--cert', certPath, '--pkey', keyPath, '--userdb', join(this.folder, 'turndb')],
      ...['--lt-cred-mech', '--realm', 'localhost', '--user', `${USERNAME}:${CREDENTIAL}`],
    ];
  }

  protected answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(this.#tlsPort, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    return promise.finally(() => socket.destroy());
  }
}
