import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { waitFor } from './wait-for.ts';

export interface SignalingServerOptions {
  /** The Nextclouds that may use it, with the secret that each shares with it. */
  readonly backends: readonly { readonly url: string; readonly secret: string }[];
  /** WebSockets of a Janus; without one there is no sound. */
  readonly janusUrl?: string;
}

const START_DEADLINE_MS = 10_000;

/** Nextcloud's signaling server (the "high-performance backend") as Debian ships it, on loopback only. */
export class SignalingServer {
  /** Of clients that are no users, such as recorders. */
  readonly internalSecret = randomBytes(16).toString('hex');
  readonly #claim: PortClaim;
  readonly #folder: string;
  #child: Child;

  private constructor(claim: PortClaim, options: SignalingServerOptions) {
    this.#claim = claim;
    this.#folder = mkdtempSync(join(tmpdir(), 'signaling-'));
    writeFileSync(this.#configuration, configurationOf(options, claim.first, this.internalSecret));
    this.#child = this.#launch();
  }

  static async start(options: SignalingServerOptions): Promise<SignalingServer> {
    const server = new SignalingServer(await claimSignalingPorts(1), options);
    try {
      await server.#ready();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#claim.first}`;
  }

  /** The last of what it logged. */
  get output(): string {
    return this.#child.output;
  }

  /** Ends it without a word to anybody, and starts it again at the same place. Its sessions are gone. */
  async restart(): Promise<void> {
    await this.#child.killHard();
    this.#child = this.#launch();
    await this.#ready();
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    this.#claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #configuration(): string {
    return join(this.#folder, 'server.conf');
  }

  #launch(): Child {
    return new Child('nextcloud-spreed-signaling-server', ['-config', this.#configuration]);
  }

  async #ready(): Promise<void> {
    const answers = async () =>
      await fetch(`${this.url}/api/v1/welcome`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitFor('the signaling server to answer', answers, START_DEADLINE_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`);
    });
  }
}

/** Messages go within the process: one server needs no NATS. */
function configurationOf(
  { backends, janusUrl }: SignalingServerOptions,
  port: number,
  internalSecret: string,
): string {
  const names = backends.map((_backend, index) => `nextcloud-${index}`);
  const sections = backends.map(
    ({ url, secret }, index) => `[${names[index]}]\nurl = ${url}\nsecret = ${secret}\n`,
  );
  return `[http]
listen = 127.0.0.1:${port}

[app]
debug = false

[sessions]
hashkey = ${randomBytes(16).toString('hex')}
blockkey = ${randomBytes(8).toString('hex')}

[clients]
internalsecret = ${internalSecret}

[backend]
backends = ${names.join(',')}
allowall = false
timeout = 10
connectionsperhost = 8

[nats]
url = nats://loopback

[mcu]
${janusUrl === undefined ? '' : `type = janus\nurl = ${janusUrl}\n`}
${sections.join('\n')}`;
}
