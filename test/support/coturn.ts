import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IceServer } from '../../src/media/ice.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { Child } from './child.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { ownAddress } from './own-address.ts';
import { waitFor } from './wait-for.ts';

const START_DEADLINE_MS = 10_000;
const USERNAME = 'talk';
const CREDENTIAL = 'turned-around';

/** Debian's coturn, which relays on this machine: over UDP, TCP, and TLS with a certificate of its own. */
export class Coturn {
  /** In a file, for whoever trusts it. */
  readonly certificate: Certificate;
  readonly #child: Child;
  readonly #claim: PortClaim;
  readonly #folder: string;

  private constructor(claim: PortClaim, folder: string) {
    this.#claim = claim;
    this.#folder = folder;
    this.certificate = makeCertificate(folder);
    const { certPath, keyPath } = this.certificate;
    this.#child = new Child('turnserver', [
      ...['-n', '--log-file', 'stdout', '--verbose', '--pidfile', join(folder, 'pid')],
      ...['--listening-ip', '127.0.0.1', '--relay-ip', ownAddress(), '--allow-loopback-peers', '--no-cli'],
      ...['--listening-port', `${this.#port}`, '--tls-listening-port', `${this.#tlsPort}`, '--no-rfc5780'],
      ...['--cert', certPath, '--pkey', keyPath, '--userdb', join(folder, 'turndb')],
      ...['--lt-cred-mech', '--realm', 'localhost', '--user', `${USERNAME}:${CREDENTIAL}`],
    ]);
  }

  static async start(): Promise<Coturn> {
    const claim = await claimSignalingPorts(2);
    const turn = new Coturn(claim, mkdtempSync(join(tmpdir(), 'coturn-')));
    try {
      await waitFor('coturn to answer', () => turn.#answers(), START_DEADLINE_MS);
    } catch (error) {
      await turn.stop();
      throw new Error(`${(error as Error).message}\n${turn.output}`);
    }
    return turn;
  }

  /** The last of what it logged. */
  get output(): string {
    return this.#child.output;
  }

  server(transport: 'udp' | 'tcp' | 'tls'): IceServer {
    const over = `turn:127.0.0.1:${this.#port}?transport=${transport}`;
    const url = transport === 'tls' ? `turns:127.0.0.1:${this.#tlsPort}?transport=tcp` : over;
    return { urls: [url], username: USERNAME, credential: CREDENTIAL };
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    this.#claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #port(): number {
    return this.#claim.first;
  }

  get #tlsPort(): number {
    return this.#claim.first + 1;
  }

  #answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(this.#tlsPort, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    return promise.finally(() => socket.destroy());
  }
}
