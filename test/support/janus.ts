import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { ownAddress } from './own-address.ts';
import { PeerServer } from './peer-server.ts';

const LIBRARIES = '/usr/lib/*/janus';
/** The subprotocol of its WebSockets. */
export const JANUS_PROTOCOL = 'janus-protocol';

/** Janus as Debian ships it, with nothing but the video room and WebSockets, which are on loopback. */
export class Janus extends PeerServer {
  protected readonly program = 'Janus';
  readonly #prefix: readonly string[];

  private constructor(claim: PortClaim, prefix: readonly string[]) {
    super(claim);
    this.#prefix = prefix;
    configureJanus(this.folder, {
      libraries: ['plugins/libjanus_videoroom.so', 'transports/libjanus_websockets.so'],
      general: 'debug_level = 4 debug_timestamps = true',
      nat: `ice_enforce_list = "${ownAddress()}" full_trickle = true`,
      files: {
        'janus.transport.websockets.jcfg': `general: { json = "compact" ws = true ws_port = ${this.port} ws_ip = "127.0.0.1" }
      admin: { admin_ws = false }`,
        'janus.plugin.videoroom.jcfg': 'general: { }',
      },
    });
  }

  /** `prefix` is put before the command, as to pin it to a core. */
  static async start(prefix: readonly string[] = []): Promise<Janus> {
    return await new Janus(await claimSignalingPorts(1), prefix).begin();
  }

  /** Where its WebSockets are. */
  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  protected command(): readonly string[] {
    return [...this.#prefix, 'janus', '-F', this.folder];
  }

  protected answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = new WebSocket(this.url, JANUS_PROTOCOL);
    socket.addEventListener('open', () => {
      socket.close();
      resolve(true);
    });
    socket.addEventListener('error', () => resolve(false));
    return promise;
  }
}

interface JanusConfiguration {
  readonly libraries: readonly string[];
  /** Of `janus.jcfg`, in the sections of these names. */
  readonly general: string;
  readonly nat: string;
  /** The other files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Makes a folder one from which Janus loads its configuration and these of its libraries. */
export function configureJanus(folder: string, { libraries, general, nat, files }: JanusConfiguration): void {
  const [installed = ''] = globSync(LIBRARIES);
  for (const library of libraries) {
    mkdirSync(join(folder, library, '..'), { recursive: true });
    symlinkSync(join(installed, library), join(folder, library));
  }
  const main = `general: { configs_folder = "${folder}" plugins_folder = "${folder}/plugins"
      transports_folder = "${folder}/transports" events_folder = "${folder}" loggers_folder = "${folder}"
      ${general} }\nnat: { ${nat} }`;
  for (const [name, text] of Object.entries({ 'janus.jcfg': main, ...files }))
    writeFileSync(join(folder, name), `${text}\n`);
}
