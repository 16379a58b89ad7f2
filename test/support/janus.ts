import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { ownAddress } from './own-address.ts';
import { waitFor } from './wait-for.ts';

const LIBRARIES = '/usr/lib/*/janus';
const START_DEADLINE_MS = 10_000;
/** The subprotocol of its WebSockets. */
export const JANUS_PROTOCOL = 'janus-protocol';

/** Janus as Debian ships it, with nothing but the video room and WebSockets, which are on loopback. */
export class Janus {
  readonly #claim: PortClaim;
  readonly #folder: string;
  readonly #prefix: readonly string[];
  #child: Child;

  private constructor(claim: PortClaim, folder: string, prefix: readonly string[]) {
    this.#claim = claim;
    this.#folder = folder;
    this.#prefix = prefix;
    this.#child = this.#launch();
  }

  /** `prefix` is put before the command, as to pin it to a core. */
  static async start(prefix: readonly string[] = []): Promise<Janus> {
    const claim = await claimSignalingPorts(1);
    const folder = mkdtempSync(join(tmpdir(), 'janus-'));
    configure(folder, claim.first);
    const janus = new Janus(claim, folder, prefix);
    try {
      await janus.#ready();
    } catch (error) {
      await janus.stop();
      throw error;
    }
    return janus;
  }

  /** Where its WebSockets are. */
  get url(): string {
    return `ws://127.0.0.1:${this.#claim.first}`;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The last of what it logged. */
  get output(): string {
    return this.#child.output;
  }

  /** Ends it without a word to anybody, and starts it again at the same place. Its rooms are gone. */
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

  #launch(): Child {
    const [command = 'janus', ...args] = [...this.#prefix, 'janus', '-F', this.#folder];
    return new Child(command, args);
  }

  async #ready(): Promise<void> {
    await waitFor('Janus to answer', () => this.#answers(), START_DEADLINE_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`);
    });
  }

  #answers(): Promise<boolean> {
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

function configure(folder: string, port: number): void {
  const [libraries = ''] = globSync(LIBRARIES);
  for (const library of ['plugins/libjanus_videoroom.so', 'transports/libjanus_websockets.so']) {
    mkdirSync(join(folder, library, '..'), { recursive: true });
    symlinkSync(join(libraries, library), join(folder, library));
  }
  const files = {
    'janus.jcfg': `general: { configs_folder = "${folder}" plugins_folder = "${folder}/plugins"
      transports_folder = "${folder}/transports" events_folder = "${folder}" loggers_folder = "${folder}"
      debug_level = 4 debug_timestamps = true }
      nat: { ice_enforce_list = "${ownAddress()}" full_trickle = true }`,
    'janus.transport.websockets.jcfg': `general: { json = "compact" ws = true ws_port = ${port} ws_ip = "127.0.0.1" }
      admin: { admin_ws = false }`,
    'janus.plugin.videoroom.jcfg': 'general: { }',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
}
