import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { PeerServer } from './peer-server.ts';

export interface SignalingServerOptions {
  /** The Nextclouds that may use it, with the secret that each shares with it. */
  readonly backends: readonly { readonly url: string; readonly secret: string }[];
  /** WebSockets of a Janus; without one there is no sound. */
  readonly janusUrl?: string;
}

/** Nextcloud's signaling server (the "high-performance backend") as Debian ships it, on loopback only. */
export class SignalingServer extends PeerServer {
  /** Of clients that are no users, such as recorders. */
  readonly internalSecret = randomBytes(16).toString('hex');
  protected readonly program = 'the signaling server';
  readonly #configuration = join(this.folder, 'server.conf');

  private constructor(claim: PortClaim, options: SignalingServerOptions) {
    super(claim);
    writeFileSync(this.#configuration, configurationOf(options, this.port, this.internalSecret));
  }

  static async start(options: SignalingServerOptions): Promise<SignalingServer> {
    return await new SignalingServer(await claimSignalingPorts(1), options).begin();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected command(): readonly string[] {
    return ['nextcloud-spreed-signaling-server', '-config', this.#configuration];
  }

  protected async answers(): Promise<boolean> {
    return await fetch(`${this.url}/api/v1/welcome`).then(
      ({ ok }) => ok,
      () => false,
    );
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
